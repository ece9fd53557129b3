// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import java.util.ArrayList;
import java.util.List;

/** Executed commands in their order, and a digest that depends on all of them. */
final class Chain {
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private final String name;
  private final List<String> commands = new ArrayList<>();
  private long digest = FNV_OFFSET;

  /** An empty one; the name distinguishes it from others in the records. */
  Chain(String name) {
    this.name = name;
  }

  void add(String command) {
    commands.add(command);
    for (char c : (command + ";").toCharArray()) {
      digest = (digest ^ c) * FNV_PRIME;
    }
  }

  int length() {
    return commands.size();
  }

  List<String> commands() {
    return List.copyOf(commands);
  }

  /** The place after the last command: two replicas at one place have the same {@link #head}. */
  String place() {
    return name + "/" + commands.size();
  }

  String head() {
    return place() + "/" + Long.toHexString(digest);
  }
}
