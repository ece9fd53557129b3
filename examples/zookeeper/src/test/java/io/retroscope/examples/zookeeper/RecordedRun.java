// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.BlockFrame;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The events that the agents of an ensemble recorded into files, and their invariants. */
final class RecordedRun {
  private final List<Event> events = new ArrayList<>();

  /** The highest sequence number that each node has reported. */
  private final Map<String, Long> lastSequences = new HashMap<>();

  private RecordedRun() {}

  /** A version that a transaction assigns to a znode. */
  private record ProposedVersion(long zxid, String variable, long version) {}

  /** Reads the files of all nodes of an ensemble. */
  static RecordedRun read(Path folder) throws IOException {
    return readFolders(EnsembleOptions.NODES.stream().map(folder::resolve).toList());
  }

  /** Reads the files in these folders. */
  static RecordedRun readFolders(List<Path> folders) throws IOException {
    RecordedRun run = new RecordedRun();
    for (Path folder : folders) {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.filter(f -> f.toString().contains("events.blocks")).toList()) {
          run.addFile(file);
        }
      }
    }
    run.events.sort(Comparator.comparingLong(Event::hlc));
    return run;
  }

  private void addFile(Path file) throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      for (Optional<BlockFrame> frame = EventBlockCodec.read(in, 0);
          frame.isPresent();
          frame = EventBlockCodec.read(in, 0)) {
        if (frame.get() instanceof EventBlock block) {
          events.addAll(block.events());
          lastSequences.merge(block.node(), block.lastSequence(), Math::max);
        }
      }
    }
  }

  /** The state changes of a log, in the order of their stamps. */
  List<Event> of(String log) {
    return events.stream()
        .filter(event -> event.log().equals(log) && event.body() instanceof StateChange)
        .toList();
  }

  /** The caveats of nodes, as {@code node: text}, without cleared ones. */
  Set<String> caveats() {
    Set<String> caveats = new TreeSet<>();
    for (Event event : of("retroscope")) {
      for (Change change : ((StateChange) event.body()).changes()) {
        if (change.variable().equals("caveats") && change.value() instanceof SetValue texts) {
          for (Value text : texts.elements()) {
            String caveat = event.node() + ": " + ((StringValue) text).value();
            if (change.operation() == Operation.ADD) {
              caveats.add(caveat);
            } else {
              caveats.remove(caveat);
            }
          }
        }
      }
    }
    return caveats;
  }

  /**
   * Checks that no message was received at or before the stamp at which it was sent.
   *
   * @return the nodes that received any of the checked messages
   */
  Set<String> checkReceivesAgainstSends() {
    Map<String, Long> sends = new HashMap<>();
    for (Event event : events) {
      if (event.body() instanceof EventBody.Send send) {
        sends.put(send.id(), event.hlc());
      }
    }
    Set<String> receivers = new TreeSet<>();
    for (Event event : events) {
      if (event.body() instanceof EventBody.Receive receive && sends.containsKey(receive.id())) {
        assertThat(event.hlc()).as("%s", event).isGreaterThan(sends.get(receive.id()));
        receivers.add(event.node());
      }
    }
    return receivers;
  }

  /** The first recorded state of a node in each of its runs. */
  List<Map<String, Long>> firstStates(String node) {
    List<Map<String, Long>> first = new ArrayList<>();
    boolean started = false;
    for (Event event : events) {
      if (!event.node().equals(node)) {
        continue;
      }
      if (event.body() instanceof EventBody.Start) {
        started = true;
      } else if (started && event.log().equals("setd")) {
        first.add(versions(event));
        started = false;
      }
    }
    return first;
  }

  /** The sequence of versions of a node's variable. */
  List<Long> versions(String node, String variable) {
    return of("setd").stream()
        .filter(event -> event.node().equals(node))
        .flatMap(event -> versions(event).entrySet().stream())
        .filter(entry -> entry.getKey().equals(variable))
        .map(Map.Entry::getValue)
        .toList();
  }

  private static Map<String, Long> versions(Event event) {
    Map<String, Long> versions = new TreeMap<>();
    for (Change change : ((StateChange) event.body()).changes()) {
      if (change.operation() == Operation.SET && change.value() instanceof LongValue version) {
        versions.put(change.variable(), version.value());
      }
    }
    return versions;
  }

  /**
   * Checks that no server applied or held a version at or before the stamp at which the leader
   * proposed it.
   *
   * @return the number of checked applied versions, by node
   */
  Map<String, Integer> checkAppliesAgainstProposals() {
    Map<ProposedVersion, Long> proposals = new HashMap<>();
    Map<String, Map<Long, Long>> firstProposals = new HashMap<>();
    for (Event proposal : of("proposal")) {
      Map<String, Long> versions = versions(proposal);
      long zxid = versions.remove("zxid");
      versions.forEach(
          (variable, version) -> {
            proposals.putIfAbsent(new ProposedVersion(zxid, variable, version), proposal.hlc());
            firstProposals
                .computeIfAbsent(variable, v -> new HashMap<>())
                .putIfAbsent(version, proposal.hlc());
          });
    }
    Map<String, Integer> checked = new TreeMap<>();
    Map<String, Long> applying = new HashMap<>();
    for (Event event : appliesAndStates()) {
      Map<String, Long> versions = versions(event);
      if (event.log().equals("apply")) {
        applying.put(event.node(), versions.get("zxid"));
        continue;
      }
      Long zxid = applying.remove(event.node());
      versions.forEach(
          (variable, version) -> {
            assertAbove(event, firstProposals.getOrDefault(variable, Map.of()).get(version));
            if (zxid != null) {
              assertAbove(event, proposals.get(new ProposedVersion(zxid, variable, version)));
              checked.merge(event.node(), 1, Integer::sum);
            }
          });
    }
    return checked;
  }

  /**
   * All applies and states. An apply names the transaction of its node's next state; only a
   * server's first state has none.
   */
  private List<Event> appliesAndStates() {
    return Stream.concat(of("apply").stream(), of("setd").stream())
        .sorted(Comparator.comparingLong(Event::hlc))
        .toList();
  }

  private static void assertAbove(Event event, @Nullable Long proposal) {
    assertThat(proposal).as("proposal of %s", event).isNotNull();
    assertThat(event.hlc())
        .as("%s, proposed at %s", event, HlcTimestamp.text(proposal))
        .isGreaterThan(proposal);
  }

  /** The number of applied changes with a lower physical reading than their proposal. */
  long appliesThatPhysicalTimePutsBeforeTheirProposal() {
    Map<Long, Long> proposedMicros = new HashMap<>();
    of("proposal").forEach(p -> proposedMicros.put(versions(p).get("zxid"), p.physicalMicros()));
    return of("apply").stream()
        .filter(
            apply ->
                apply.physicalMicros()
                    < proposedMicros.getOrDefault(versions(apply).get("zxid"), 0L))
        .count();
  }

  /** The number of missing events of a node, in its only run. */
  long missingEventCount(String node) {
    return lastSequences.get(node)
        - events.stream()
            .filter(e -> e.node().equals(node) && e.sequence() != Event.NO_SEQUENCE)
            .count();
  }

  /** Checks that no node's events have gaps, except where it was killed. */
  void checkNoGaps() {
    Map<String, List<Event>> byNode = new TreeMap<>();
    events.stream()
        .filter(event -> event.sequence() != Event.NO_SEQUENCE)
        .forEach(event -> byNode.computeIfAbsent(event.node(), n -> new ArrayList<>()).add(event));
    byNode.forEach(
        (node, ofNode) -> {
          List<Long> sequences = ofNode.stream().map(Event::sequence).sorted().distinct().toList();
          assertThat(sequences.get(sequences.size() - 1))
              .as("last sequence number of %s", node)
              .isEqualTo(sequences.size());
        });
  }
}
