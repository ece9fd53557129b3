package io.retroscope.rql.cut;

import java.util.SortedSet;

/**
 * The stamp up to which all events of the included nodes are expected to be known.
 *
 * @param hlc packed
 * @param missing nodes left out because they have been silent for longer than the idle timeout
 */
public record Watermark(long hlc, SortedSet<String> missing) {}
