package io.retroscope.server.store;

/**
 * What became of a submission that is stored durably.
 *
 * @param accepted events that were new, heartbeats included
 * @param duplicates events that were there before
 * @param quarantined of the accepted, those kept aside because they lie too far in the future
 */
public record Receipt(long accepted, long duplicates, long quarantined) {
  static final Receipt NOTHING = new Receipt(0, 0, 0);

  Receipt plus(Receipt other) {
    return new Receipt(
        accepted + other.accepted, duplicates + other.duplicates, quarantined + other.quarantined);
  }
}
