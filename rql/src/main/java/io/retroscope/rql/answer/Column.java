package io.retroscope.rql.answer;

/**
 * A column of a result.
 *
 * @param name its heading
 * @param automatic whether the answer adds it by itself ({@code hlc}, {@code time}, ...), rather
 *     than the query asking for it
 */
public record Column(String name, boolean automatic) {}
