/**
 * Tiles of a timeline: counts and extremes per bin of time, merged from the summaries that are
 * stored beside sealed blocks, in a server or in a file.
 */
@NullMarked
package io.retroscope.rql.timeline;

import org.jspecify.annotations.NullMarked;
