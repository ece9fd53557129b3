package io.retroscope.sink;

import java.util.List;

/**
 * Takes frames to where they are kept. A {@link DeliveringSink} owns it, and its one thread calls
 * {@link #deliver}.
 */
public interface Transport extends AutoCloseable {
  /**
   * Takes frames there and waits until they are kept, or until it is clear that they are not.
   *
   * @param parcels at least one, in order; parcels that were delivered before may come again
   * @throws InterruptedException if the sink is closing and waits no longer
   */
  Delivery deliver(List<Parcel> parcels) throws InterruptedException;

  /**
   * The pace at which the recorder is to hand blocks over now. Called often, by another thread than
   * the one that delivers; a transport by which the server can ask for haste may slow down.
   *
   * @param wanted what the service has set, or the default
   */
  default Pace pace(Pace wanted) {
    return wanted;
  }

  /** Where that is, for messages: no secrets. */
  String target();

  @Override
  void close();

  /**
   * What came of it, for all of the parcels.
   *
   * @param reason why not, for messages; empty if delivered
   */
  record Delivery(Answer answer, String reason) {
    /** All are kept. */
    public static final Delivery DELIVERED = new Delivery(Answer.DELIVERED, "");

    /** Not now; the sink tries again after a pause. */
    public static Delivery retry(String reason) {
      return new Delivery(Answer.RETRY, reason);
    }

    /** Never: the sink tries one by one, and declares lost what is refused alone. */
    public static Delivery refused(String reason) {
      return new Delivery(Answer.REFUSED, reason);
    }

    /**
     * Another block is there under that number: the sink tries one by one, and gives up on that
     * block.
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
