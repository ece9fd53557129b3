// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.examples.latency.LatencyOptions;
import io.retroscope.examples.latency.LatencyTester;
import io.retroscope.recorder.Recorder;
import io.retroscope.recorder.RecorderBuilder;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** One run of the tester, which only the source tree has: loaded when the command is run. */
final class LatencyRun {
  private LatencyRun() {}

  static void run(LatencyCommand command, PrintWriter out, PrintWriter err)
      throws IOException, InterruptedException {
    LatencyOptions options = options(command);
    Files.createDirectories(command.out);
    RecorderBuilder builder = Recorder.builder().node(command.node);
    if (command.server == null) {
      builder.file(command.out.resolve("latency-" + command.node + ".rtsb"));
    } else {
      builder.server(command.server);
    }
    try (Recorder recorder = builder.build();
        LatencyTester tester =
            new LatencyTester(
                options,
                recorder,
                PhysicalClock.system(),
                refusal -> err.println("warning: " + refusal))) {
      tester.run();
      out.print(tester.report().text());
      out.flush();
      tester.report().write(command.out);
    }
  }

  private static LatencyOptions options(LatencyCommand command) throws IOException {
    try {
      Map<String, InetSocketAddress> peers = new TreeMap<>();
      command.peers.forEach((name, address) -> peers.put(name, address(address)));
      return new LatencyOptions(
          command.node,
          address(command.listen),
          peers,
          Files.readString(command.tokenFile).strip(),
          command.size,
          command.rate,
          Duration.ofMillis(command.suspectMillis),
          Duration.ofSeconds(command.seconds),
          command.zones);
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    }
  }

  private static InetSocketAddress address(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 1 || !text.substring(colon + 1).matches("\\d{1,5}")) {
      throw new IllegalArgumentException("an address is HOST:PORT, not \"" + text + "\"");
    }
    InetSocketAddress address =
        new InetSocketAddress(
            text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    if (address.isUnresolved()) {
      throw new IllegalArgumentException("the host of \"" + text + "\" is not known");
    }
    return address;
  }
}
