// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * The options of one node of the tester. Immutable.
 *
 * @param node its name
 * @param listen the address at which it answers
 * @param peers the other nodes' addresses by name, at most {@link #MAX_PEER_COUNT}
 * @param token the secret that all nodes share, at least {@link #MIN_TOKEN_LENGTH} characters; it
 *     is not transmitted, but frames are not encrypted
 * @param frameBytes the size of each ping and each answer, {@link Frame#MIN_BYTES} to {@link
 *     #MAX_FRAME_BYTES}, equal at all nodes
 * @param roundsPerSecond 1 to 1000
 * @param suspectAfter the silence after which a peer is suspected
 * @param duration of the test, at most a day
 * @param zones the zones of this node and its peers, such as regions, by name; may lack some
 */
public record LatencyOptions(
    String node,
    InetSocketAddress listen,
    Map<String, InetSocketAddress> peers,
    String token,
    int frameBytes,
    int roundsPerSecond,
    Duration suspectAfter,
    Duration duration,
    Map<String, String> zones) {
  /** The maximum number of peers. */
  public static final int MAX_PEER_COUNT = 32;

  /** The minimum length of the token. */
  public static final int MIN_TOKEN_LENGTH = 8;

  /** The maximum size of a frame. */
  public static final int MAX_FRAME_BYTES = 1 << 20;

  /** Checks the ranges and names, and sorts the peers by name. */
  public LatencyOptions {
    peers = new TreeMap<>(peers);
    zones = new TreeMap<>(zones);
    for (String name : zones.keySet()) {
      check(
          name.equals(node) || peers.containsKey(name),
          "\"" + name + "\" has a zone, but is neither this node nor a peer");
    }
    check(!node.isEmpty() && !peers.containsKey(node), "a node needs a name of its own");
    check(
        !peers.isEmpty() && peers.size() <= MAX_PEER_COUNT,
        "1 to " + MAX_PEER_COUNT + " peers are needed, not " + peers.size());
    check(
        token.length() >= MIN_TOKEN_LENGTH,
        "the token must have at least " + MIN_TOKEN_LENGTH + " characters");
    check(
        frameBytes >= Frame.MIN_BYTES && frameBytes <= MAX_FRAME_BYTES,
        "a frame has %d to %d bytes, not %d"
            .formatted(Frame.MIN_BYTES, MAX_FRAME_BYTES, frameBytes));
    check(
        roundsPerSecond >= 1 && roundsPerSecond <= 1_000,
        "1 to 1000 rounds a second are possible, not " + roundsPerSecond);
    check(
        duration.compareTo(Duration.ZERO) > 0 && duration.compareTo(Duration.ofDays(1)) <= 0,
        "a test lasts at most a day");
  }

  private static void check(boolean holds, String sentence) {
    if (!holds) {
      throw new IllegalArgumentException(sentence);
    }
  }
}
