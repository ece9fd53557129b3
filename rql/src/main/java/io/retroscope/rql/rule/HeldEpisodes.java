// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The episodes of rules that are evaluated together, kept until they can be sent rule by rule. Used
 * by one thread.
 */
final class HeldEpisodes {
  private final int most;
  private final List<@Nullable List<Episode>> ofRules = new ArrayList<>();
  private int size;

  /**
   * Creates a store without episodes.
   *
   * @param most the largest number of episodes of all rules
   */
  HeldEpisodes(int most) {
    this.most = most;
  }

  /**
   * The receiver of the episodes of the next rule; it wants no more of them if they are too many.
   */
  RuleCheck.EpisodeSink ofNextRule() {
    int index = ofRules.size();
    ofRules.add(new ArrayList<>());
    return episode -> add(index, episode);
  }

  private boolean add(int index, Episode episode) {
    List<Episode> own = ofRules.get(index);
    if (own == null) {
      return false;
    }
    if (size == most) {
      size -= own.size();
      ofRules.set(index, null);
      return false;
    }
    size++;
    return own.add(episode);
  }

  /** Whether the episodes of a rule were too many, so that none is kept. */
  boolean areTooMany(int index) {
    return ofRules.get(index) == null;
  }

  /** Sends the episodes of a rule and removes them. */
  void forEach(int index, RuleCheck.EpisodeListener listener) {
    List<Episode> own = ofRules.set(index, List.of());
    if (own != null) {
      for (Episode episode : own) {
        if (!listener.episode(episode)) {
          return;
        }
      }
    }
  }
}
