// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The options of an ensemble. Immutable.
 *
 * @param folder for configurations, data and logs; created if necessary, not removed
 * @param sink the agents' argument for the destination of events, such as {@code
 *     server=http://127.0.0.1:7340} or {@code file=events.blocks}, a file in each server's folder
 * @param traced the znodes to trace; a name that ends in {@code /} traces all below it
 * @param slowNode the server that reaches the others through relays, so that its link can be slowed
 *     down
 * @param agentless servers that run without the agent
 * @param skewMicros the offset added to a server's clock, by node; 0 if absent
 * @param jvmArgs for every server
 * @param versions folders with the jars of another version of ZooKeeper, by node
 */
public record EnsembleOptions(
    Path folder,
    String sink,
    List<String> traced,
    Optional<String> slowNode,
    Set<String> agentless,
    Map<String, Long> skewMicros,
    List<String> jvmArgs,
    Map<String, Path> versions) {
  /** The servers, in the order of their ids. */
  public static final List<String> NODES = List.of("zk1", "zk2", "zk3");

  private static final List<String> QUICK_START =
      List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  /** Copies the collections and checks the names of nodes. */
  public EnsembleOptions {
    traced = List.copyOf(traced);
    agentless = Set.copyOf(agentless);
    skewMicros = Map.copyOf(skewMicros);
    jvmArgs = List.copyOf(jvmArgs);
    versions = Map.copyOf(versions);
    slowNode.ifPresent(EnsembleOptions::checkNode);
    agentless.forEach(EnsembleOptions::checkNode);
    skewMicros.keySet().forEach(EnsembleOptions::checkNode);
    versions.keySet().forEach(EnsembleOptions::checkNode);
  }

  /** Three traced servers that start quickly. */
  public static EnsembleOptions of(Path folder, String sink, List<String> traced) {
    return new EnsembleOptions(
        folder, sink, traced, Optional.empty(), Set.of(), Map.of(), QUICK_START, Map.of());
  }

  /** These options with relays between this server and the others. */
  public EnsembleOptions withSlowNode(String node) {
    return new EnsembleOptions(
        folder, sink, traced, Optional.of(node), agentless, skewMicros, jvmArgs, versions);
  }

  /** These options with these servers untraced. */
  public EnsembleOptions withoutAgentAt(Set<String> nodes) {
    return new EnsembleOptions(
        folder, sink, traced, slowNode, nodes, skewMicros, jvmArgs, versions);
  }

  /** These options with clock offsets in microseconds. */
  public EnsembleOptions withSkewMicros(Map<String, Long> skew) {
    return new EnsembleOptions(folder, sink, traced, slowNode, agentless, skew, jvmArgs, versions);
  }

  /** These options with other arguments for the servers' virtual machines. */
  public EnsembleOptions withJvmArgs(List<String> args) {
    return new EnsembleOptions(
        folder, sink, traced, slowNode, agentless, skewMicros, args, versions);
  }

  private static void checkNode(String node) {
    if (!NODES.contains(node)) {
      throw new IllegalArgumentException("no such server: " + node + "; there are " + NODES);
    }
  }
}
