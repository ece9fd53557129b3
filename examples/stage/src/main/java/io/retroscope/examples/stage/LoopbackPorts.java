// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.LinkedHashSet;
import java.util.Random;
import java.util.Set;

/**
 * A finder of free loopback ports, for processes whose ports must be configured before they start.
 *
 * <p>The ports are below the range of ephemeral ports, so that no outgoing connection occupies one
 * while its server restarts.
 */
public final class LoopbackPorts {
  private static final int FIRST = 15_000;
  private static final int COUNT = 16_000;
  private static final int MAX_TRIES = 1_000;

  private LoopbackPorts() {}

  /**
   * Distinct ports that are currently free.
   *
   * @throws StageException if too few of the tried ports are free
   */
  public static int[] take(int count, Random random) throws StageException {
    Set<Integer> ports = new LinkedHashSet<>();
    for (int i = 0; i < MAX_TRIES && ports.size() < count; i++) {
      int port = FIRST + random.nextInt(COUNT);
      if (isFree(port)) {
        ports.add(port);
      }
    }
    if (ports.size() < count) {
      throw new StageException(
          "no " + count + " free loopback ports between " + FIRST + " and " + (FIRST + COUNT));
    }
    return ports.stream().mapToInt(Integer::intValue).toArray();
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
