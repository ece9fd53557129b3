/**
 * The alerts of a server. {@code AlertService} evaluates all of them as the watermark moves, one
 * {@code AlertRunner} each, and writes what changes in one batch per advance, before {@code Outbox}
 * sends anything to a {@code Receiver}.
 */
@NullMarked
package io.retroscope.server.alert;

import org.jspecify.annotations.NullMarked;
