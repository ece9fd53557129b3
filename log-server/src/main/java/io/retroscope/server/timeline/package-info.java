/**
 * Tiles of a timeline: counts and extremes per bin of time, merged from the summaries that are
 * stored beside sealed blocks.
 */
@NullMarked
package io.retroscope.server.timeline;

import org.jspecify.annotations.NullMarked;
