// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.rql.ast.Statement.Modality;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The reasons why an answer is undecided, as sentences. Used by one thread. */
final class Doubts {
  /*
   * Without a message that was exchanged, more cuts seem consistent than were, and more
   * interleavings seem possible. That no cut of them all satisfies a predicate, or that each
   * interleaving passes one that does, is true of fewer as well. The opposite may be wrong.
   */
  private static final int MAX_SENTENCES = 20;

  private final Set<String> ofMessages = new LinkedHashSet<>();
  private final Set<String> ofStates = new LinkedHashSet<>();
  private final Set<String> ofRange = new LinkedHashSet<>();

  /** Messages of a node are missing. */
  void ofMessages(String sentence) {
    add(ofMessages, sentence);
  }

  /** States of a node are missing or wrong, or their order is not known. */
  void ofStates(String sentence) {
    add(ofStates, sentence);
  }

  /** The range misses events before its first or after its last one. */
  void ofRange(String sentence) {
    add(ofRange, sentence);
  }

  private static void add(Set<String> sentences, String sentence) {
    if (sentences.size() < MAX_SENTENCES) {
      sentences.add(sentence);
    } else {
      sentences.add("there are more reasons than can be listed here");
    }
  }

  /** Returns the reasons why an answer is not proven; empty if it is. */
  List<String> about(Modality modality, boolean answer) {
    boolean possibly = modality == Modality.POSSIBLY;
    Stream<String> all = ofStates.stream();
    if (possibly == answer) {
      all = Stream.concat(all, ofMessages.stream());
    }
    if (!(possibly && answer)) {
      all = Stream.concat(all, ofRange.stream());
    }
    return all.toList();
  }
}
