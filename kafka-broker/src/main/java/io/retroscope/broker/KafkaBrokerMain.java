// SPDX-License-Identifier: Apache-2.0
package io.retroscope.broker;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.common.errors.TopicExistsException;

/** A program that runs a broker with one topic until the process ends. */
public final class KafkaBrokerMain {
  /** The maximum record size of the topic; a sink sends no larger records. */
  private static final String MAX_RECORD_BYTES = Integer.toString(16 << 20);

  private KafkaBrokerMain() {}

  /**
   * Starts a broker in a folder, and creates its topic if it is missing.
   *
   * @param args the folder, the port, the topic, the number of its partitions, a file that is
   *     created when the broker is ready, and further settings of the broker, each name=value
   */
  public static void main(String[] args) throws Exception {
    KafkaBroker.Builder builder =
        KafkaBroker.in(Path.of(args[0]))
            .port(Integer.parseInt(args[1]))
            .setting("auto.create.topics.enable", "false")
            .setting("num.network.threads", "2")
            .setting("num.io.threads", "2")
            .setting("log.cleaner.enable", "false")
            // After a restart following a kill, it must wait for the end of its own previous
            // session.
            .setting("broker.session.timeout.ms", "3000")
            .setting("broker.heartbeat.interval.ms", "500");
    for (int i = 5; i < args.length; i++) {
      int equals = args[i].indexOf('=');
      builder.setting(args[i].substring(0, equals), args[i].substring(equals + 1));
    }
    KafkaBroker broker = builder.start();
    try {
      broker.createTopic(
          args[2], Integer.parseInt(args[3]), Map.of("max.message.bytes", MAX_RECORD_BYTES));
    } catch (IllegalStateException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw e;
      }
    }
    Files.createFile(Path.of(args[4]));
  }
}
