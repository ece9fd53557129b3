/**
 * Counts of events per bin of time, for a picture of a long history.
 *
 * <p>{@link io.retroscope.blocks.timeline.TimelineBins} are made from the rows of one block and
 * stored beside it. Bins of any number of blocks add up, so that a picture of years reads no event.
 */
@NullMarked
package io.retroscope.blocks.timeline;

import org.jspecify.annotations.NullMarked;
