// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import java.util.List;

/**
 * The selection of the messages that a recorder records. All carry the clock. A hash of a message's
 * identity decides, so that both ends record the same messages; of two nodes with different shares,
 * the one with the smaller share records some of those that the other one records. Immutable.
 */
final class MessageSample {
  /** Every message. */
  static final MessageSample ALL = new MessageSample(1);

  /**
   * The smallest share other than 0: to find a stamp that is selected takes one reading of the
   * clock per message on average, but as many at a time as there are messages in the sample.
   */
  static final double MIN_SHARE = 0.001;

  private final double share;
  private final long below;

  private MessageSample(double share) {
    this.share = share;
    this.below = (long) (share * Long.MAX_VALUE);
  }

  /**
   * A sample.
   *
   * @throws IllegalArgumentException if the share is neither 0 nor within {@link #MIN_SHARE} to 1
   */
  static MessageSample of(double share) {
    if (!(share == 0 || (share >= MIN_SHARE && share <= 1))) {
      throw new IllegalArgumentException(
          "messages must be 0 or within " + MIN_SHARE + " to 1: " + share);
    }
    return share == 1 ? ALL : new MessageSample(share);
  }

  /**
   * The sample that a setting describes.
   *
   * @throws IllegalArgumentException if it does not describe any
   */
  static MessageSample parse(String text) {
    return switch (text) {
      case "on" -> ALL;
      case "off" -> of(0);
      default -> of(Double.parseDouble(text));
    };
  }

  @SuppressWarnings("ReferenceEquality") // the only one of its share
  boolean isAll() {
    return this == ALL;
  }

  /** Whether the message is recorded that is identified by the packed stamp it carries. */
  boolean selects(long hlc) {
    return isAll() || hash(HlcTimestamp.toWire(hlc)) < below;
  }

  /**
   * Whether a received message is recorded.
   *
   * @param hlc the packed stamp that it carries, which may be its identity
   */
  boolean selects(String id, long hlc) {
    return isAll() || (id.equals(HlcTimestamp.text(hlc)) ? selects(hlc) : selects(id));
  }

  /** Whether the message with this identity is recorded. */
  boolean selects(String id) {
    if (isAll()) {
      return true;
    }
    long hash = 0;
    for (int i = 0; i < id.length(); i++) {
      hash = 31 * hash + id.charAt(i);
    }
    return hash(hash) < below;
  }

  /** The finalizer of SplitMix64, without its lowest bit. */
  private static long hash(long bits) {
    long mixed = (bits ^ (bits >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return (mixed ^ (mixed >>> 31)) >>> 1;
  }

  /** The event by which queries over messages know the share. */
  EventBody announcement() {
    return new EventBody.StateChange(
        List.of(new Change(Operation.SET, Recorder.MESSAGES, Value.of(share))));
  }
}
