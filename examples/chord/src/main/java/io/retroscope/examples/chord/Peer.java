// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.chord;

/**
 * A node of the ring as others know it. Immutable.
 *
 * @param port on the loopback interface
 */
record Peer(String name, int port) {
  private static final int FNV_PRIME = 16_777_619;

  /** Its place on the ring, from 0 to 2^32 - 1. */
  long place() {
    return place(name);
  }

  /** The place of a key or a node. */
  static long place(String key) {
    int hash = 0x811c9dc5;
    for (int i = 0; i < key.length(); i++) {
      hash = (hash ^ key.charAt(i)) * FNV_PRIME;
    }
    // Similar names differ in the low bits first; the high ones decide about the order.
    return Integer.toUnsignedLong(Integer.reverse(hash));
  }

  /** Whether a place is after one node and at or before another, around the ring. */
  static boolean isWithin(long place, Peer after, Peer upTo) {
    long from = after.place();
    long to = upTo.place();
    return from < to ? from < place && place <= to : from < place || place <= to;
  }

  @Override
  public String toString() {
    return name + ":" + port;
  }

  static Peer parse(String text) {
    String[] parts = text.split(":", -1);
    return new Peer(parts[0], Integer.parseInt(parts[1]));
  }
}
