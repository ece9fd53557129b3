// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.HashMap;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment;
import org.junit.jupiter.api.Test;

class StoreAssignorTest {
  private static final int MANY = 1_000_000;
  private static final long NOW_MICROS = 1_700_000_000_000_000L;

  /** Assignments until a group without faults is balanced, however many partitions must move. */
  private static final int ENOUGH_ASSIGNMENTS = 20;

  private final StoreAssignor assignor = new StoreAssignor(() -> NOW_MICROS);
  private final Random random = new Random(5);

  @Test
  void newGroup_isBalancedAtOnceAndHasCopies() {
    SimulatedGroup group = groupOf(6, 1, 3);
    assertThat(owned(group)).containsExactly(2, 2, 2);
    assertThat(copied(group)).containsExactly(2, 2, 2);
    assertThat(group.followUp()).isEmpty();
  }

  @Test
  void stoppedServer_leavesItsPartitionsToTheirCopies() {
    SimulatedGroup group = running(groupOf(9, 1, 3));
    Map<TaskId, Integer> before = owners(group);
    Set<TaskId> copied = new TreeSet<>(group.member(1).copied);
    group.stop(2);
    assertThat(group.assign(assignor)).isFalse();
    for (TaskId task : group.tasks()) {
      int expected = before.get(task) != 2 ? before.get(task) : copied.contains(task) ? 1 : 0;
      assertThat(owners(group)).containsEntry(task, expected);
    }
  }

  /** The group knows an empty store only by the records that it lacks, which here are few. */
  @Test
  void partitionOfFewRecords_isNotTakenOverByAServerWithoutAStore() {
    SimulatedGroup group = groupOf(3, 1, 2);
    write(group, 90);
    group.join(7);
    group.stop(1);
    group.assign(assignor);
    assertThat(owners(group)).doesNotContainValue(7);
  }

  @Test
  void joinedServer_firstGetsCopiesAndThenItsShare() {
    SimulatedGroup group = running(groupOf(8, 1, 2));
    Map<TaskId, Integer> before = owners(group);
    group.join(2);
    assertThat(group.assign(assignor)).isFalse();
    assertThat(owners(group)).isEqualTo(before);
    assertThat(group.member(2).copied).hasSize(2);
    group.read(MANY);
    assertThat(group.assign(assignor)).isTrue();
    assertThat(group.assign(assignor)).isFalse();
    assertThat(group.member(2).owned).hasSize(2);
  }

  /** It owns all partitions until others join, but has not all stores. */
  @Test
  void serverThatIsStartedFirst_leavesPartitionsToServersThatHaveTheirStores() {
    SimulatedGroup group = running(groupOf(6, 1, 3));
    Map<TaskId, Set<Integer>> stores = new HashMap<>();
    group.tasks().forEach(task -> stores.put(task, holders(group, task)));
    IntStream.range(0, 3).forEach(group::stop);
    group.join(0);
    group.assign(assignor);
    assertThat(group.member(0).owned).hasSize(6);
    group.join(1);
    group.join(2);
    group.read(10);
    assertThat(group.assign(assignor)).isTrue();
    assertThat(group.assign(assignor)).isFalse();
    owners(group)
        .forEach((task, owner) -> assertThat(stores.get(task)).as("%s", task).contains(owner));
    assertThat(owners(group)).hasSize(6);
  }

  /** What its owner stored last is in no other store when it has given a partition up. */
  @Test
  void partitionThatMoves_doesNotReturnToTheOwnerThatGaveItUp() {
    SimulatedGroup group = running(groupOf(4, 1, 1));
    group.join(1);
    group.assign(assignor);
    group.read(MANY);
    group.write(random, (int) Placement.NEAR_RECORDS);
    group.read(MANY);
    assertThat(group.assign(assignor)).isTrue();
    assertThat(group.assign(assignor)).isFalse();
    assertThat(owned(group)).containsExactly(2, 2);
  }

  @Test
  void balancedGroup_asksForNoFollowUp() {
    SimulatedGroup group = running(groupOf(7, 1, 3));
    settle(group, "at the start");
    Map<TaskId, Integer> before = owners(group);
    write(group, 50);
    assertThat(group.assign(assignor)).isFalse();
    assertThat(group.followUp()).isEmpty();
    assertThat(owners(group)).isEqualTo(before);
  }

  @Test
  void unknownLags_moveNothingAndLeaveNothingWithoutAnOwner() {
    SimulatedGroup group = running(groupOf(6, 1, 3));
    Map<TaskId, Integer> before = owners(group);
    group.forgetLags(true);
    group.stop(0);
    group.join(3);
    group.assign(assignor);
    before.values().removeIf(owner -> owner == 0);
    assertThat(owners(group)).hasSize(6).containsAllEntriesOf(before).doesNotContainValue(3);
  }

  @Test
  void moreCopiesThanServers_areAsManyAsPossible() {
    assertThat(copied(groupOf(3, 5, 2))).containsExactlyInAnyOrder(1, 2);
    assertThat(copied(groupOf(3, 5, 1))).containsExactly(0);
    assertThat(owned(groupOf(0, 1, 2))).containsExactly(0, 0);
  }

  @Test
  void followUp_waitsLongerForStoresThatLackMuch() {
    SimulatedGroup group = running(running(running(groupOf(4, 1, 1))));
    group.join(1);
    group.assign(assignor);
    Instant now = Instant.ofEpochMilli(NOW_MICROS / 1_000);
    assertThat(group.followUp()).contains(now.plus(StoreAssignor.LATE_FOLLOW_UP));
    group.read(4 * MANY);
    write(group, 10);
    group.write(random, 100);
    group.read(100);
    group.commit();
    group.assign(assignor);
    assertThat(group.followUp()).contains(now.plus(StoreAssignor.FOLLOW_UP));
  }

  /** The time of the next assignment is compared with the clock of the server that gets it. */
  @Test
  void followUp_isAtTheServerThatAssigns() {
    SimulatedGroup group = running(groupOf(4, 1, 2));
    group.join(2);
    StoreAssignor own = new StoreAssignor(() -> NOW_MICROS);
    own.configure(
        Map.of(StreamsConfig.APPLICATION_SERVER_CONFIG, group.member(1).host().host() + ":1001"));
    assertThat(own.assign(group.state()).assignment())
        .filteredOn(one -> one.followupRebalanceDeadline().isPresent())
        .extracting(KafkaStreamsAssignment::processId)
        .containsExactly(group.member(1).id());
  }

  /** Starts, stops, kills, joins and assignments at any time, while records come. */
  @Test
  void partitions_throughFaults_followTheirStores() {
    for (long seed = 0; seed < 60; seed++) {
      new Faults(seed).run();
    }
  }

  private final class Faults {
    private final Random choices;
    private final SimulatedGroup group;
    private final String name;

    Faults(long seed) {
      choices = new Random(seed);
      name = "seed " + seed;
      group = new SimulatedGroup(1 + choices.nextInt(12), choices.nextInt(3));
    }

    void run() {
      group.join(0);
      for (int step = 0; step < 60; step++) {
        String when = name + ", step " + step;
        change();
        assign(when);
        if (step % 20 == 19) {
          group.forgetLags(false);
          settle(group, when);
        }
      }
    }

    private void change() {
      int number = choices.nextInt(5);
      if (!group.member(number).isThere) {
        group.join(number);
      } else if (group.present().size() > 1 && choices.nextBoolean()) {
        group.stop(number);
      } else if (group.present().size() > 1) {
        group.kill(number);
      }
      group.forgetLags(choices.nextInt(10) == 0);
      for (int i = choices.nextInt(4); i > 0; i--) {
        group.write(choices, choices.nextBoolean() ? 20 : 5_000);
        group.read(choices.nextInt(10_000));
        group.commit();
        group.read(choices.nextInt(10_000));
      }
      group.write(choices, 20);
      group.read(choices.nextInt(20));
    }

    /** Assigns at most until nothing moves, but sometimes stops before. */
    private void assign(String when) {
      for (int i = 0; i < 3; i++) {
        Map<TaskId, Integer> kept = kept();
        Map<TaskId, Set<Integer>> suited = new HashMap<>();
        group.tasks().forEach(task -> suited.put(task, heirs(task)));
        boolean isMoving = group.assign(assignor);
        if (kept.size() < group.tasks().size()) {
          assertThat(owners(group)).as(when).containsAllEntriesOf(kept);
        }
        kept.forEach((task, owner) -> suited.put(task, Set.of(owner)));
        owners(group)
            .forEach((task, owner) -> assertThat(suited.get(task)).as(when).contains(owner));
        if (!isMoving || choices.nextInt(3) == 0) {
          return;
        }
      }
    }

    /** The owners that do not lack much more than another server. */
    private Map<TaskId, Integer> kept() {
      Map<TaskId, Integer> kept = owners(group);
      kept.entrySet().removeIf(one -> !heirs(one.getKey()).contains(one.getValue()));
      return kept;
    }

    /** The servers that may take a partition over. */
    private Set<Integer> heirs(TaskId task) {
      List<SimulatedGroup.Member> all = List.copyOf(group.present());
      List<SimulatedGroup.Member> stores =
          all.stream().filter(member -> member.stores.containsKey(task)).toList();
      List<SimulatedGroup.Member> possible =
          stores.isEmpty() || group.end(task) == 0 ? all : stores;
      long least = possible.stream().mapToLong(member -> group.lag(member, task)).min().orElse(0);
      Set<Integer> heirs = new TreeSet<>();
      for (SimulatedGroup.Member member : possible) {
        if (!group.knowsLags() || group.lag(member, task) <= least + Placement.NEAR_RECORDS) {
          heirs.add(member.number);
        }
      }
      return heirs;
    }
  }

  private SimulatedGroup groupOf(int partitions, int copies, int servers) {
    SimulatedGroup group = new SimulatedGroup(partitions, copies);
    IntStream.range(0, servers).forEach(group::join);
    group.assign(assignor);
    return group;
  }

  /** A group whose partitions have many records, which all copies have. */
  private SimulatedGroup running(SimulatedGroup group) {
    write(group, MANY);
    return group;
  }

  private void write(SimulatedGroup group, int bound) {
    group.write(random, bound);
    group.read(bound);
    group.commit();
    group.read(bound);
  }

  /** Assigns as often as the group asks for it, while records come. */
  private void settle(SimulatedGroup group, String when) {
    boolean isMoving = true;
    int count = 0;
    while (isMoving || group.followUp().isPresent()) {
      assertThat(count++).as("%s: assignments", when).isLessThan(ENOUGH_ASSIGNMENTS);
      group.write(random, 20);
      group.read(MANY);
      if (random.nextBoolean()) {
        group.commit();
      }
      group.read(MANY);
      isMoving = group.assign(assignor);
    }
    int servers = group.present().size();
    IntSummaryStatistics loads =
        owned(group).stream().mapToInt(Integer::intValue).summaryStatistics();
    assertThat(loads.getMax() - loads.getMin()).as("%s: %s", when, loads).isLessThan(2);
    for (TaskId task : group.tasks()) {
      assertThat(group.present().stream().filter(member -> member.copied.contains(task)))
          .as("%s: copies of %s", when, task)
          .hasSize(Math.min(group.copies(), servers - 1));
      assertThat(group.owner(task)).as("%s: owner of %s", when, task).isPresent();
    }
  }

  private static Set<Integer> holders(SimulatedGroup group, TaskId task) {
    return group.present().stream()
        .filter(member -> member.stores.containsKey(task))
        .map(member -> member.number)
        .collect(Collectors.toSet());
  }

  private static List<Integer> owned(SimulatedGroup group) {
    return group.present().stream().map(member -> member.owned.size()).toList();
  }

  private static List<Integer> copied(SimulatedGroup group) {
    return group.present().stream().map(member -> member.copied.size()).toList();
  }

  private static Map<TaskId, Integer> owners(SimulatedGroup group) {
    Map<TaskId, Integer> owners = new HashMap<>();
    group
        .tasks()
        .forEach(task -> group.owner(task).ifPresent(owner -> owners.put(task, owner.number)));
    return owners;
  }
}
