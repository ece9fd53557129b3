// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment.AssignedTask;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsState;
import org.apache.kafka.streams.processor.assignment.ProcessId;

/**
 * A new placement of the partitions of a cluster, as Kafka Streams knows the stores of its servers.
 * Not thread-safe.
 */
/*
 * An owner that is there keeps its partitions. Another partition goes to a server that has a store
 * of it. Only if there was no such partition, the load is balanced: by moves to stores that lack
 * nothing, and by further copies for later moves.
 *
 * A move takes two assignments, because its owner must first give the partition up. In the second
 * one the partition has no owner, and the store that it has left is the newest. Therefore, the least
 * loaded server gets it of those whose stores lack about as little.
 *
 * HAZARD: a store that was closed cannot be told from the store of a running copy, nor one that has
 * just been begun from others if the partition has few records. Lags may be unknown, and those of
 * stores that are ahead of the committed offset are as of empty ones.
 */
final class Placement {
  /** Stores that lack at most so many more records than the newest are as good for a takeover. */
  static final long NEAR_RECORDS = 1_000;

  private static final long UNKNOWN = Long.MAX_VALUE;

  /** The order of moves: from the most loaded server to the least, and then the shortest wait. */
  private static final Comparator<Move> URGENCY =
      Comparator.<Move>comparingInt(move -> -move.difference())
          .thenComparingLong(move -> move.to().lag(move.task()))
          .thenComparing(Move::task)
          .thenComparing(move -> move.to().id())
          .thenComparing(move -> move.from().id());

  private static final List<Role> MOVED = List.of(Role.OWNER, Role.COPY);

  private final List<Server> servers;
  private final SortedSet<TaskId> tasks;

  private enum Role {
    OWNER(AssignedTask.Type.ACTIVE),
    COPY(AssignedTask.Type.STANDBY),
    /** A copy that is made for a later move. */
    WARM_UP(AssignedTask.Type.STANDBY);

    private final AssignedTask.Type type;

    Role(AssignedTask.Type type) {
      this.type = type;
    }
  }

  /** A move of a task, which makes the difference of two loads smaller. */
  private record Move(Server from, Server to, TaskId task, int difference) {
    void in(Function<Server, Set<TaskId>> load) {
      load.apply(from).remove(task);
      load.apply(to).add(task);
    }
  }

  private Placement(Collection<KafkaStreamsState> servers, Set<TaskId> tasks) {
    this.servers = servers.stream().map(Server::new).sorted(Server.BY_ID).toList();
    this.tasks = new TreeSet<>(tasks);
  }

  /**
   * Places tasks, all of which have a store.
   *
   * @param servers at least one
   */
  static Placement of(
      Collection<KafkaStreamsState> servers, Set<TaskId> tasks, AssignmentConfigs settings) {
    Placement placement = new Placement(servers, tasks);
    boolean isWhole = placement.keepOwners();
    placement.takeOver();
    if (isWhole) {
      placement.balance(Role.OWNER);
    }
    placement.copy(settings.numStandbyReplicas());
    if (isWhole) {
      placement.balance(Role.COPY);
      placement.warmUp(settings.maxWarmupReplicas());
    }
    return placement;
  }

  /** The assignments in the order of the servers' ids. */
  List<KafkaStreamsAssignment> assignments() {
    return servers.stream().map(Server::assignment).toList();
  }

  /**
   * The records that a store lacks to which a partition is to move next; empty if the loads are
   * equal.
   */
  OptionalLong missing() {
    return MOVED.stream()
        .flatMap(role -> later(role).stream())
        .mapToLong(move -> move.to().lag(move.task()))
        .min();
  }

  /**
   * Leaves tasks where they are, unless an owner is still reading what another server has, as after
   * a start of all servers one after another. Returns whether all have an owner.
   */
  private boolean keepOwners() {
    int kept = 0;
    for (TaskId task : tasks) {
      Optional<Server> owner =
          servers.stream()
              .filter(server -> server.wasOwner(task) && distance(server, task) == 0)
              .findFirst();
      owner.ifPresent(server -> server.tasks(Role.OWNER).add(task));
      kept += owner.isPresent() ? 1 : 0;
    }
    return kept == tasks.size();
  }

  /** The records that a store lacks, 0 if they are about as few as those of the newest store. */
  private long distance(Server server, TaskId task) {
    long least = servers.stream().mapToLong(other -> other.lag(task)).min().orElse(0);
    long lag = server.lag(task);
    return lag - least > NEAR_RECORDS ? lag : 0;
  }

  private void takeOver() {
    for (TaskId task : tasks) {
      if (servers.stream().noneMatch(server -> server.tasks(Role.OWNER).contains(task))) {
        servers.stream()
            .min(suitability(task, Role.OWNER))
            .ifPresent(heir -> heir.tasks(Role.OWNER).add(task));
      }
    }
  }

  private void copy(int count) {
    for (TaskId task : tasks) {
      servers.stream()
          .filter(server -> !server.tasks(Role.OWNER).contains(task))
          .sorted(suitability(task, Role.COPY))
          .limit(count)
          .toList()
          .forEach(server -> server.tasks(Role.COPY).add(task));
    }
  }

  /** The order of the servers for a task: its store first, and then the load. */
  private Comparator<Server> suitability(TaskId task, Role role) {
    return Comparator.<Server, Boolean>comparing(server -> !server.hasStore(task))
        .thenComparingLong(server -> distance(server, task))
        .thenComparingInt(server -> server.tasks(role).size())
        .thenComparingLong(server -> server.lag(task))
        .thenComparing(Server.BY_ID);
  }

  /** Moves tasks to stores that lack nothing; each move makes the loads more equal. */
  private void balance(Role role) {
    Predicate<Move> isCaughtUp = move -> move.to().lag(move.task()) == 0;
    Function<Server, Set<TaskId>> load = server -> server.tasks(role);
    Optional<Move> next = next(role, load, isCaughtUp);
    while (next.isPresent()) {
      next.get().in(load);
      next = next(role, load, isCaughtUp);
    }
  }

  /** Makes further copies where tasks are to move to. */
  private void warmUp(int count) {
    int left = count;
    for (Role role : MOVED) {
      for (Move move : later(role)) {
        if (left > 0 && !move.to().has(move.task())) {
          move.to().tasks(Role.WARM_UP).add(move.task());
          left--;
        }
      }
    }
  }

  /** The moves that would make the loads equal if all stores had caught up. */
  private List<Move> later(Role role) {
    Map<Server, Set<TaskId>> planned = new HashMap<>();
    servers.forEach(server -> planned.put(server, new TreeSet<>(server.tasks(role))));
    Function<Server, Set<TaskId>> load = server -> planned.getOrDefault(server, Set.of());
    List<Move> moves = new ArrayList<>();
    Optional<Move> next = next(role, load, move -> true);
    while (next.isPresent()) {
      next.get().in(load);
      moves.add(next.get());
      next = next(role, load, move -> true);
    }
    return moves;
  }

  /** The most urgent move that makes the loads more equal. */
  private Optional<Move> next(
      Role role, Function<Server, Set<TaskId>> load, Predicate<Move> condition) {
    return servers.stream()
        .flatMap(from -> servers.stream().flatMap(to -> moves(role, from, to, load)))
        .filter(condition)
        .min(URGENCY);
  }

  private static Stream<Move> moves(
      Role role, Server from, Server to, Function<Server, Set<TaskId>> load) {
    int difference = load.apply(from).size() - load.apply(to).size();
    return difference < 2
        ? Stream.empty()
        : load.apply(from).stream()
            .filter(task -> !load.apply(to).contains(task))
            .filter(task -> role == Role.OWNER || !to.tasks(Role.OWNER).contains(task))
            .map(task -> new Move(from, to, task, difference));
  }

  /** A server with its old stores and its new tasks. */
  private static final class Server {
    static final Comparator<Server> BY_ID = Comparator.comparing(Server::id);

    private final KafkaStreamsState before;
    private final Map<TaskId, Long> lags;
    private final Map<Role, Set<TaskId>> tasks = new EnumMap<>(Role.class);

    Server(KafkaStreamsState before) {
      this.before = before;
      lags = before.statefulTasksToLagSums();
      for (Role role : Role.values()) {
        tasks.put(role, new TreeSet<>());
      }
    }

    ProcessId id() {
      return before.processId();
    }

    boolean wasOwner(TaskId task) {
      return before.previousActiveTasks().contains(task);
    }

    boolean hasStore(TaskId task) {
      return wasOwner(task) || lag(task) == 0 || before.previousStandbyTasks().contains(task);
    }

    /** The records that the store lacks, {@link #UNKNOWN} if Kafka Streams does not know it. */
    long lag(TaskId task) {
      long lag = lags.getOrDefault(task, -1L);
      return lag >= 0 ? lag : wasOwner(task) ? 0 : UNKNOWN;
    }

    Set<TaskId> tasks(Role role) {
      return tasks.getOrDefault(role, Set.of());
    }

    boolean has(TaskId task) {
      return tasks.values().stream().anyMatch(own -> own.contains(task));
    }

    KafkaStreamsAssignment assignment() {
      Set<AssignedTask> assigned = new HashSet<>();
      tasks.forEach(
          (role, own) -> own.forEach(task -> assigned.add(new AssignedTask(task, role.type))));
      return KafkaStreamsAssignment.of(id(), assigned);
    }
  }
}
