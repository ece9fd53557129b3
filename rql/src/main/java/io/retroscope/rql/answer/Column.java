// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.answer;

/**
 * A column of a result.
 *
 * @param name its heading
 * @param automatic whether the column is added to every result ({@code hlc}, {@code time}, ...)
 *     rather than selected by the query
 */
public record Column(String name, boolean automatic) {}
