// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ApplicationState;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment.AssignedTask;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsState;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.assignment.TaskAssignmentUtils;
import org.apache.kafka.streams.processor.assignment.TaskAssignor;
import org.apache.kafka.streams.processor.assignment.TaskInfo;
import org.apache.kafka.streams.processor.assignment.TaskTopicPartition;
import org.apache.kafka.streams.state.HostInfo;

/**
 * A group of servers in one thread that does what Kafka Streams does with assignments: an owner
 * gives a partition up before another one gets it, and copies follow what owners committed.
 */
final class SimulatedGroup {
  /** Kafka Streams' marks of the lag of a store that is written, and of an unknown one. */
  private static final long LATEST = -2;

  private static final long UNKNOWN = -3;

  private final int copies;
  private final SortedSet<TaskId> tasks;
  private final Map<TaskId, Long> written = new HashMap<>();
  private final Map<TaskId, Long> committed = new HashMap<>();
  private final Map<Integer, Member> members = new TreeMap<>();
  private boolean knowsLags = true;
  private Optional<Instant> followUp = Optional.empty();

  SimulatedGroup(int partitions, int copies) {
    this.copies = copies;
    tasks =
        IntStream.range(0, partitions)
            .mapToObj(partition -> new TaskId(0, partition))
            .collect(Collectors.toCollection(TreeSet::new));
  }

  /** A server: its folder remains when it has left the group. */
  static final class Member {
    final int number;
    final Map<TaskId, Long> stores = new HashMap<>();
    SortedSet<TaskId> owned = new TreeSet<>();
    SortedSet<TaskId> copied = new TreeSet<>();
    boolean isThere;

    Member(int number) {
      this.number = number;
    }

    ProcessId id() {
      return new ProcessId(new UUID(0, number));
    }

    HostInfo host() {
      return new HostInfo("127.0.0.1", 1_000 + number);
    }
  }

  Member member(int number) {
    return members.computeIfAbsent(number, Member::new);
  }

  Collection<Member> present() {
    return members.values().stream().filter(member -> member.isThere).toList();
  }

  void join(int number) {
    member(number).isThere = true;
  }

  void stop(int number) {
    Member stopped = member(number);
    stopped.owned.forEach(task -> commit(stopped, task));
    kill(number);
  }

  void kill(int number) {
    Member gone = member(number);
    gone.isThere = false;
    gone.owned = new TreeSet<>();
    gone.copied = new TreeSet<>();
  }

  void forgetLags(boolean forget) {
    knowsLags = !forget;
  }

  Optional<Instant> followUp() {
    return followUp;
  }

  boolean knowsLags() {
    return knowsLags;
  }

  int copies() {
    return copies;
  }

  /** What Kafka Streams knows of the group. */
  ApplicationState state() {
    return new Group();
  }

  /** The committed offset of a partition. */
  long end(TaskId task) {
    return committed.getOrDefault(task, 0L);
  }

  Set<TaskId> tasks() {
    return tasks;
  }

  /** Adds less than a number of records to each partition. */
  void write(RandomGenerator random, int bound) {
    tasks.forEach(task -> written.merge(task, (long) random.nextInt(bound), Long::sum));
  }

  /** Owners and copies read up to a number of records, the latter those that were committed. */
  void read(int most) {
    for (Member member : present()) {
      member.owned.forEach(task -> read(member, task, written.getOrDefault(task, 0L), most));
      member.copied.forEach(task -> read(member, task, end(task), most));
    }
  }

  private static void read(Member member, TaskId task, long end, int most) {
    long stored = member.stores.getOrDefault(task, 0L);
    member.stores.put(task, Math.max(stored, Math.min(end, stored + most)));
  }

  void commit() {
    present().forEach(member -> member.owned.forEach(task -> commit(member, task)));
  }

  private void commit(Member owner, TaskId task) {
    committed.merge(task, owner.stores.getOrDefault(task, 0L), Math::max);
  }

  /** The lag as Kafka Streams computes it: a store that is ahead has that of an empty one. */
  long lag(Member member, TaskId task) {
    if (isRestored(member, task)) {
      return 0;
    }
    long end = end(task);
    long stored = member.stores.getOrDefault(task, 0L);
    return stored > end ? end : end - stored;
  }

  /** Whether an owner writes a store. */
  boolean isRestored(Member member, TaskId task) {
    return member.owned.contains(task) && member.stores.getOrDefault(task, 0L) >= end(task);
  }

  Optional<Member> owner(TaskId task) {
    return present().stream().filter(member -> member.owned.contains(task)).findFirst();
  }

  /**
   * Assigns once; returns whether another assignment must follow at once, because owners have given
   * partitions up.
   */
  boolean assign(TaskAssignor assignor) {
    ApplicationState group = state();
    TaskAssignor.TaskAssignment made = assignor.assign(group);
    TaskAssignor.AssignmentError error = TaskAssignmentUtils.validateTaskAssignment(group, made);
    if (error != TaskAssignor.AssignmentError.NONE) {
      throw new AssertionError("not an assignment: " + error);
    }
    followUp =
        made.assignment().stream()
            .flatMap(one -> one.followupRebalanceDeadline().stream())
            .findFirst();
    Map<TaskId, Member> owners = new HashMap<>();
    tasks.forEach(task -> owner(task).ifPresent(owner -> owners.put(task, owner)));
    boolean isMoving = false;
    for (KafkaStreamsAssignment one : made.assignment()) {
      isMoving |= take(one, owners);
    }
    owners.forEach(
        (task, owner) -> {
          if (!owner.owned.contains(task)) {
            commit(owner, task);
          }
        });
    return isMoving;
  }

  private boolean take(KafkaStreamsAssignment one, Map<TaskId, Member> owners) {
    Member member =
        present().stream()
            .filter(known -> known.id().equals(one.processId()))
            .findFirst()
            .orElseThrow();
    boolean isMoving = false;
    member.owned = new TreeSet<>();
    member.copied = new TreeSet<>();
    for (AssignedTask assigned : one.tasks().values()) {
      TaskId task = assigned.id();
      Member owner = owners.getOrDefault(task, member);
      boolean isOwned = assigned.type() == AssignedTask.Type.ACTIVE;
      (isOwned && owner == member ? member.owned : member.copied).add(task);
      isMoving |= isOwned && owner != member;
      member.stores.putIfAbsent(task, 0L);
    }
    return isMoving;
  }

  private final class Group implements ApplicationState {
    @Override
    public Map<ProcessId, KafkaStreamsState> kafkaStreamsStates(boolean computeTaskLags) {
      return present().stream().collect(Collectors.toMap(Member::id, State::new));
    }

    @Override
    public AssignmentConfigs assignmentConfigs() {
      return new AssignmentConfigs(0L, 4, copies, 60_000L, List.of());
    }

    @Override
    public Map<TaskId, TaskInfo> allTasks() {
      return tasks.stream().collect(Collectors.toMap(task -> task, Task::new));
    }
  }

  private record Task(TaskId id) implements TaskInfo {
    @Override
    public boolean isStateful() {
      return true;
    }

    @Override
    public Set<String> stateStoreNames() {
      return Set.of(PartitionStore.NAME);
    }

    @Override
    public Set<TaskTopicPartition> topicPartitions() {
      return Set.of();
    }
  }

  private final class State implements KafkaStreamsState {
    private final Member member;

    State(Member member) {
      this.member = member;
    }

    @Override
    public ProcessId processId() {
      return member.id();
    }

    @Override
    public int numProcessingThreads() {
      return 1;
    }

    @Override
    public SortedSet<String> consumerClientIds() {
      return new TreeSet<>(Set.of("consumer-" + member.number));
    }

    @Override
    public SortedSet<TaskId> previousActiveTasks() {
      return member.owned;
    }

    /** Stores of running copies and closed ones: Kafka Streams does not tell them apart. */
    @Override
    public SortedSet<TaskId> previousStandbyTasks() {
      SortedSet<TaskId> stores = new TreeSet<>(member.stores.keySet());
      stores.removeAll(member.owned);
      return stores;
    }

    @Override
    public long lagFor(TaskId task) {
      if (isRestored(member, task)) {
        return LATEST;
      }
      return knowsLags ? lag(member, task) : UNKNOWN;
    }

    @Override
    public SortedSet<TaskId> prevTasksByLag(String consumerClientId) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Map<TaskId, Long> statefulTasksToLagSums() {
      return tasks.stream().collect(Collectors.toMap(task -> task, this::lagFor));
    }

    @Override
    public Optional<HostInfo> hostInfo() {
      return Optional.of(member.host());
    }

    @Override
    public Map<String, String> clientTags() {
      return Map.of();
    }

    @Override
    public Optional<String> rackId() {
      return Optional.empty();
    }
  }
}
