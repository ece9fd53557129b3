package io.retroscope.cli;

import io.retroscope.server.kafka.KafkaOptions;
import io.retroscope.server.kafka.StartFrom;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** From which topic a server takes events, if from any. */
final class KafkaOption {
  private static final String BROKERS = "bootstrap.servers";

  @Option(
      names = "--kafka",
      paramLabel = "HOST:PORT,...",
      description = "Take events from a Kafka topic as well, from these brokers.")
  private Optional<String> brokers = Optional.empty();

  @Option(
      names = "--topic",
      paramLabel = "NAME",
      description = "The topic (default: " + KafkaOptions.DEFAULT_TOPIC + ").")
  private Optional<String> topic = Optional.empty();

  @Option(
      names = "--kafka-from",
      paramLabel = "WHERE",
      description = {
        "Where to begin in the topic: \"stored\", where reading stopped (the default);"
            + " \"available\", the same, but go on where records were removed before they were"
            + " read; \"earliest\"; or PARTITION:OFFSET,... What is stored already is not"
            + " stored again."
      })
  private Optional<String> from = Optional.empty();

  /**
   * What to read.
   *
   * @return empty if no brokers are named
   * @throws IllegalArgumentException if an option is wrong, or belongs to a topic and there is none
   */
  Optional<KafkaOptions> options() {
    Map<String, String> settings = new HashMap<>();
    brokers.ifPresent(addresses -> settings.put(BROKERS, addresses));
    if (!settings.containsKey(BROKERS)) {
      if (topic.isPresent() || from.isPresent()) {
        throw new IllegalArgumentException(
            "--topic and --kafka-from need --kafka HOST:PORT,... as well");
      }
      return Optional.empty();
    }
    return Optional.of(
        KafkaOptions.of(settings, topic.orElse(KafkaOptions.DEFAULT_TOPIC))
            .from(from.map(StartFrom::parse).orElse(StartFrom.STORED)));
  }
}
