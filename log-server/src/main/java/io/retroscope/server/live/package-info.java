/**
 * The watermark, and the queries that follow it. {@code WatermarkTracker} maintains the watermark
 * from the frontiers of the runs that count; {@code StreamingQuery} evaluates a live query up to
 * it, and {@code LateLog} collects the events that arrive after it has passed. {@code Lane} decides
 * when a run counts, {@code FastClocks} limits the effect of clocks that are ahead, and an {@code
 * Inflow} reports events that wait in a source such as a topic.
 */
@NullMarked
package io.retroscope.server.live;

import org.jspecify.annotations.NullMarked;
