// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The record of a topic that closes all runs of a node for good. Its key is the name of the node.
 */
public final class ForgottenNode {
  private static final byte[] VALUE = "retroscope: node forgotten".getBytes(StandardCharsets.UTF_8);

  private ForgottenNode() {}

  /** The value of such a record, which is no block of events. */
  public static byte[] value() {
    return VALUE.clone();
  }

  static boolean isValue(byte @Nullable [] value) {
    return Arrays.equals(VALUE, value);
  }
}
