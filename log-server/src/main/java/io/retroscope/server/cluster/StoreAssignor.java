// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.clock.PhysicalClock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.assignment.ApplicationState;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsState;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.assignment.TaskAssignor;
import org.apache.kafka.streams.state.HostInfo;

/**
 * The assignor of a cluster: partitions stay where their stores are. Kafka Streams makes one at the
 * server that leads the group, and uses it in one thread.
 */
public final class StoreAssignor implements TaskAssignor {
  /** The time until the next assignment if partitions could not move yet. */
  static final Duration FOLLOW_UP = Duration.ofSeconds(10);

  /** That time if the stores lack many records, or an unknown number. */
  static final Duration LATE_FOLLOW_UP = Duration.ofMinutes(1);

  private static final long MANY_RECORDS = 100_000;

  private final PhysicalClock clock;
  private Optional<HostInfo> own = Optional.empty();

  /** Kafka Streams makes assignors by the name of their class. */
  public StoreAssignor() {
    this(PhysicalClock.system());
  }

  StoreAssignor(PhysicalClock clock) {
    this.clock = clock;
  }

  @Override
  public void configure(Map<String, ?> settings) {
    own =
        Optional.ofNullable(settings.get(StreamsConfig.APPLICATION_SERVER_CONFIG))
            .map(address -> HostInfo.buildFromEndpoint(address.toString()));
  }

  @Override
  public TaskAssignment assign(ApplicationState group) {
    Map<?, KafkaStreamsState> servers = group.kafkaStreamsStates(true);
    Placement placement =
        Placement.of(servers.values(), group.allTasks().keySet(), group.assignmentConfigs());
    List<KafkaStreamsAssignment> assignments = placement.assignments();
    OptionalLong missing = placement.missing();
    return new TaskAssignment(
        missing.isEmpty()
            ? assignments
            : followedUp(assignments, servers.values(), next(missing.getAsLong())));
  }

  private Instant next(long missing) {
    Duration wait = missing > MANY_RECORDS ? LATE_FOLLOW_UP : FOLLOW_UP;
    return Instant.EPOCH.plus(clock.micros(), ChronoUnit.MICROS).plus(wait);
  }

  /**
   * The assignments, one of which has the time of the next. It is the one of this server if
   * possible, because the clock of another may differ.
   */
  private List<KafkaStreamsAssignment> followedUp(
      List<KafkaStreamsAssignment> assignments,
      Collection<KafkaStreamsState> servers,
      Instant next) {
    ProcessId timed =
        servers.stream()
            .filter(server -> own.isPresent() && server.hostInfo().equals(own))
            .map(KafkaStreamsState::processId)
            .findFirst()
            .orElse(assignments.get(0).processId());
    return assignments.stream()
        .map(one -> one.processId().equals(timed) ? one.withFollowupRebalance(next) : one)
        .toList();
  }
}
