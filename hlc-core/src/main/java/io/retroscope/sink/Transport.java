// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import java.util.List;

/**
 * A connection that delivers frames to their destination. It is owned by a {@link DeliveringSink},
 * whose one thread calls {@link #deliver}.
 */
public interface Transport extends AutoCloseable {
  /**
   * Delivers frames and waits until they are acknowledged or have failed.
   *
   * @param parcels at least one, in order; parcels that were delivered before may be repeated
   * @throws InterruptedException if the sink is closing and waits no longer
   */
  Delivery deliver(List<Parcel> parcels) throws InterruptedException;

  /**
   * The current pace at which the recorder should pass on blocks. Called often, by a different
   * thread than the one that delivers. A transport over which the server can request a faster pace
   * may slow down.
   *
   * @param wanted the pace configured by the service, or the default
   */
  default Pace pace(Pace wanted) {
    return wanted;
  }

  /** The destination, for messages; contains no secrets. */
  String target();

  @Override
  void close();

  /**
   * The outcome for all of the parcels.
   *
   * @param reason the reason of a failure, for messages; empty if delivered
   */
  record Delivery(Answer answer, String reason) {
    /** All were acknowledged. */
    public static final Delivery DELIVERED = new Delivery(Answer.DELIVERED, "");

    /** A transient failure; the sink retries after a pause. */
    public static Delivery retry(String reason) {
      return new Delivery(Answer.RETRY, reason);
    }

    /**
     * A permanent refusal: the sink sends the parcels one by one, and declares lost those that are
     * refused individually.
     */
    public static Delivery refused(String reason) {
      return new Delivery(Answer.REFUSED, reason);
    }

    /**
     * A different block has the same number: the sink sends the parcels one by one, and abandons
     * that block.
     */
    public static Delivery conflict(String reason) {
      return new Delivery(Answer.CONFLICT, reason);
    }
  }

  /** See {@link Delivery}. */
  enum Answer {
    DELIVERED,
    REFUSED,
    CONFLICT,
    RETRY
  }
}
