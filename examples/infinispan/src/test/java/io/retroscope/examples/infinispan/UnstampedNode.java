// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.infinispan;

import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A node whose stack lacks the protocol that carries the stamps, so that an oracle must fail. */
public final class UnstampedNode {
  private UnstampedNode() {}

  /** Runs a node, as {@link StockNode#main}. */
  public static void main(String[] args) throws IOException, InterruptedException {
    String stack;
    try (var in = StockNode.class.getResourceAsStream("traced-tcp.xml")) {
      stack = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    Path untraced =
        Files.writeString(
            Path.of("untraced-tcp.xml").toAbsolutePath(), stack.replaceAll("<io.retro.*/>", ""));
    StockNode.run(args[0], Recorder.fromEnvironment(), untraced.toString());
  }
}
