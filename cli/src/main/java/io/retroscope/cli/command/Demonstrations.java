// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.command.DemoCommand.RunOptions;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.process.StandardStreams;
import io.retroscope.examples.infinispan.InfinispanCase;
import io.retroscope.examples.kafka.ClusterDemo;
import io.retroscope.examples.kafka.KafkaCase;
import io.retroscope.examples.latency.LatencyCase;
import io.retroscope.examples.stage.CaseRun;
import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.DemoOptions;
import io.retroscope.examples.zookeeper.ZookeeperDemo;
import java.io.PrintWriter;
import java.util.ServiceLoader;

/** The demonstrations, which only the source tree has: loaded when one of them is run. */
final class Demonstrations {
  private Demonstrations() {}

  static int zookeeper(
      RunOptions options, DemoCommand.Transport transport, PrintWriter out, PrintWriter err) {
    return new ZookeeperDemo(
            demoOptions(options),
            ZookeeperDemo.Transport.valueOf(transport.name()),
            !options.noFaults,
            out,
            err)
        .run();
  }

  static int kafka(RunOptions options, PrintWriter out, PrintWriter err) {
    return run(new KafkaCase(), options, out, err);
  }

  static int cluster(RunOptions options, PrintWriter out, PrintWriter err) {
    if (System.getProperty(ServerCommand.LOG_LEVEL) == null) {
      // The demo says what happens to its servers itself.
      System.setProperty(ServerCommand.LOG_LEVEL, "ERROR");
    }
    return new ClusterDemo(demoOptions(options), !options.noFaults, out, err).run();
  }

  static int infinispan(RunOptions options, PrintWriter out, PrintWriter err) {
    return run(new InfinispanCase(), options, out, err);
  }

  static int latency(RunOptions options, PrintWriter out, PrintWriter err) {
    return run(new LatencyCase(), options, out, err);
  }

  /** A demonstration whose module only the start script builds and adds to the class path. */
  static int builtOnDemand(String name, RunOptions options, PrintWriter out, PrintWriter err) {
    for (CaseStudy study : ServiceLoader.load(CaseStudy.class)) {
      if (study.name().equals(name)) {
        return run(study, options, out, err);
      }
    }
    throw new CommandException(
        ExitCode.USAGE,
        "the demonstration %s is not on the class path: run ./retroscope demo %s in the source tree"
            .formatted(name, name));
  }

  private static int run(CaseStudy study, RunOptions options, PrintWriter out, PrintWriter err) {
    CaseStudy run = options.noFaults ? study.withoutFaults() : study;
    return new CaseRun(run, demoOptions(options), out, err).run();
  }

  private static DemoOptions demoOptions(RunOptions options) {
    try {
      return new DemoOptions(
          options.seconds,
          options.out,
          options.keep,
          options.quiet,
          options.port,
          StandardStreams.system().outIsTerminal());
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    }
  }
}
