/**
 * The nodes that are live or silent at a cut, from their events and heartbeats.
 *
 * <p>{@link io.retroscope.rql.cut.presence.LiveNodes} hides the values of silent nodes for AT LIVE
 * NODES. {@link io.retroscope.rql.cut.presence.SilentNodes} finds nodes that were not heard from
 * for longer than they used to be ({@link io.retroscope.rql.cut.presence.SilenceLimits}), for a
 * warning: their values are old at such a cut.
 */
@NullMarked
package io.retroscope.rql.cut.presence;

import org.jspecify.annotations.NullMarked;
