package io.retroscope.event;

/** What a block says of itself; see {@link EventBlock}'s accessors of the same names. */
record BlockHeader(String incarnation, long number, long heartbeat, long lastSequence) {
  static final BlockHeader MADE_BY_SERVER = new BlockHeader("", 0, EventBlock.NO_HEARTBEAT, 0);

  BlockHeader {
    if (number < 0 || lastSequence < 0) {
      throw new IllegalArgumentException(
          "block number "
              + number
              + " and last sequence "
              + lastSequence
              + " must not be negative");
    }
  }
}
