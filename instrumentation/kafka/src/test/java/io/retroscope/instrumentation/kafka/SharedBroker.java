// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.kafka;

import io.retroscope.broker.KafkaBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A broker without settings of its own, which starts with the first test class that uses it and
 * stops after the last one. Each test needs a topic of its own.
 */
final class SharedBroker implements BeforeAllCallback {
  private @Nullable Running running;

  /** JUnit closes it with the store that contains it. */
  private record Running(Path folder, KafkaBroker broker) implements AutoCloseable {
    static Running start() {
      try {
        Path folder = Files.createTempDirectory("retroscope-broker");
        return new Running(folder, KafkaBroker.start(folder));
      } catch (Exception e) {
        throw new IllegalStateException("no broker", e);
      }
    }

    @Override
    public void close() throws IOException {
      broker.close();
      List<Path> content;
      try (Stream<Path> files = Files.walk(folder)) {
        content = files.sorted(Comparator.reverseOrder()).toList();
      }
      for (Path file : content) {
        Files.deleteIfExists(file);
      }
    }
  }

  @Override
  public void beforeAll(ExtensionContext testClass) {
    running =
        testClass
            .getRoot()
            .getStore(ExtensionContext.Namespace.create(SharedBroker.class))
            .computeIfAbsent("broker", key -> Running.start(), Running.class);
  }

  /** Kafka's {@code bootstrap.servers}. */
  String address() {
    return Objects.requireNonNull(running).broker().address();
  }
}
