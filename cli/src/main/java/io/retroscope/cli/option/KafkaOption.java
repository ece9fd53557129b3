// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.server.kafka.KafkaOptions;
import io.retroscope.server.kafka.StartFrom;
import io.retroscope.sink.ClientSettings;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options for the topic from which a server reads events. */
public final class KafkaOption {
  private static final String BROKERS = "bootstrap.servers";
  private static final String CONFIG = "config";

  /* Retroscope's own settings, named like Kafka's: RETROSCOPE_KAFKA_TOPIC and so on. */
  private static final String TOPIC = "topic";
  private static final String FROM = "from";

  @Option(
      names = "--kafka",
      paramLabel = "HOST:PORT,...",
      description = "Also read events from a Kafka topic of these brokers.")
  private Optional<String> brokers = Optional.empty();

  @Option(
      names = "--topic",
      paramLabel = "NAME",
      description = "The topic (default: " + KafkaOptions.DEFAULT_TOPIC + ").")
  private Optional<String> topic = Optional.empty();

  @Option(
      names = "--kafka-config",
      paramLabel = "FILE",
      description =
          "A properties file with settings for Kafka's client, such as TLS and SASL; environment"
              + " variables such as RETROSCOPE_KAFKA_SECURITY_PROTOCOL take precedence.")
  private Optional<Path> config = Optional.empty();

  @Option(
      names = "--kafka-from",
      paramLabel = "WHERE",
      description = {
        "The start position in the topic: \"stored\", where reading stopped (the default);"
            + " \"available\", the same, but continue if records were removed before they were"
            + " read; \"earliest\"; or PARTITION:OFFSET,... Stored events are not stored again."
      })
  private Optional<String> from = Optional.empty();

  /**
   * The topic to read.
   *
   * @return empty if no brokers are named, here or by the environment
   * @throws IllegalArgumentException if an option is invalid, or requires a topic and there is none
   */
  public Optional<KafkaOptions> options() {
    Map<String, String> given = new HashMap<>();
    brokers.ifPresent(addresses -> given.put(BROKERS, addresses));
    topic.ifPresent(name -> given.put(TOPIC, name));
    from.ifPresent(where -> given.put(FROM, where));
    config.ifPresent(file -> given.put(CONFIG, file.toString()));
    Map<String, String> settings = new HashMap<>(ClientSettings.ofProcess("kafka", given));
    String name = Optional.ofNullable(settings.remove(TOPIC)).orElse(KafkaOptions.DEFAULT_TOPIC);
    String start = Optional.ofNullable(settings.remove(FROM)).orElse("stored");
    if (settings.containsKey(BROKERS)) {
      return Optional.of(KafkaOptions.of(settings, name).from(StartFrom.parse(start)));
    }
    if (!given.isEmpty()) {
      throw new IllegalArgumentException(
          "no broker is given: --topic, --kafka-config and --kafka-from need --kafka HOST:PORT,..."
              + " (or bootstrap.servers in the file)");
    }
    return Optional.empty();
  }
}
