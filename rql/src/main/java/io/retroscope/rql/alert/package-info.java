/**
 * Alerts: rules that are evaluated as events arrive. {@code AlertDefinition} is one, {@code Edge} a
 * rise or a fall of its predicate, {@code AlertTimeline} makes episodes out of edges, and {@code
 * Pager} decides which notices follow from them. Nothing here reads a clock, a store or the
 * network.
 */
@NullMarked
package io.retroscope.rql.alert;

import org.jspecify.annotations.NullMarked;
