// SPDX-License-Identifier: Apache-2.0
/**
 * What an answer does not know: how far the events that it reads are complete, and the sentences
 * that say so.
 *
 * <p>Events may be missing in several ways, and each has one type here. They have not arrived yet,
 * or were never recorded: {@link io.retroscope.rql.engine.completeness.Horizon} is the stamp up to
 * which there are all. They were lost: {@code GapWarnings}. A node recorded only some, or says so
 * of itself: {@code CaveatWarnings}. It fell silent, and may have crashed: {@code SilenceWarnings},
 * and {@code MissingNodes} for the cuts that a watermark reaches without it. Stamps were ahead of
 * every clock, so that they do not show how long something took: {@code LostTime}. A name may be
 * misspelt: {@code UnknownNames}.
 *
 * <p>{@link io.retroscope.rql.engine.completeness.WalkWarnings} has those of one walk, and sends
 * each warning once. {@code ReadEvents} collects the reasons that a verdict needs, for which a
 * warning is not enough. What walks share is found once: {@code AdvanceCaveats} for those of a live
 * group, {@code SharedCaveats} for those over one history.
 *
 * <p>Nothing here changes a row. A false all-clear is worse than no answer, so that a reason that
 * cannot be excluded is a reason.
 */
@NullMarked
package io.retroscope.rql.engine.completeness;

import org.jspecify.annotations.NullMarked;
