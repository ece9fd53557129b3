// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.kafka;

import io.retroscope.clock.PhysicalClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;

/**
 * A consumer's note that it has lost its partitions, because it polled too late: when its hook was
 * called, by the machine's clock instead of a stamp. Immutable.
 *
 * @param beganMicros since 1970
 */
record Loss(String node, long beganMicros, long endedMicros) {
  /** Has a line for each. */
  private static final String FILE = "losses";

  private static final long CLOCK_READING_MICROS = 1_000;

  /** A hook that notes the losses of a consumer, which works in its folder. */
  static ConsumerRebalanceListener noting(String node, ConsumerRebalanceListener hook) {
    return new ConsumerRebalanceListener() {
      @Override
      public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        hook.onPartitionsAssigned(partitions);
      }

      @Override
      public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        hook.onPartitionsRevoked(partitions);
      }

      @Override
      public void onPartitionsLost(Collection<TopicPartition> partitions) {
        long began = PhysicalClock.system().freshMicros();
        hook.onPartitionsLost(partitions);
        new Loss(node, began, PhysicalClock.system().freshMicros()).write();
      }
    };
  }

  private void write() {
    try {
      Files.writeString(
          Path.of(FILE),
          "%s %d %d%n".formatted(node, beganMicros, endedMicros),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The losses in the folder of a consumer, without one that is being written. */
  static List<Loss> read(Path folder) throws IOException {
    Path file = folder.resolve(FILE);
    String text = Files.exists(file) ? Files.readString(file) : "";
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Loss::parse).toList();
  }

  private static Loss parse(String line) {
    String[] words = line.split(" ", -1);
    return new Loss(words[0], Long.parseLong(words[1]), Long.parseLong(words[2]));
  }

  /** Whether it can have been recorded at this time. */
  boolean contains(long micros) {
    return beganMicros - CLOCK_READING_MICROS <= micros
        && micros <= endedMicros + CLOCK_READING_MICROS;
  }
}
