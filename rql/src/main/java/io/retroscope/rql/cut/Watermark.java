package io.retroscope.rql.cut;

import java.util.SortedSet;

/**
 * No more events at or below this stamp are expected from the nodes that count.
 *
 * @param hlc packed
 * @param missing nodes left out because they have been silent for longer than the idle timeout
 */
public record Watermark(long hlc, SortedSet<String> missing) {}
