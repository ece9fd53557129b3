// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.trait.TraitVocabulary.Atom;
import io.retroscope.cli.trait.TraitVocabulary.Variable;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TraitTableTest {
  private final TraitTable table = new TraitTable(new TraitVocabulary());

  private int atom(String variable) {
    return table.vocabulary().number(new Atom(new Variable("m", variable), Value.of(true)));
  }

  /** Adds a run in which one node sets variables to TRUE, one after the other. */
  private void run(List<String> variables) {
    TraitCollector collector = new TraitCollector(table.vocabulary(), TraitScope.DISTINCTIONS);
    for (int i = 0; i < variables.size(); i++) {
      EventBody.Change change =
          new EventBody.Change(EventBody.Operation.SET, variables.get(i), Value.of(true));
      long hlc = HlcTimestamp.pack(1_000_000 + i);
      collector.event(new Event("a", "m", hlc, new EventBody.StateChange(List.of(change))));
    }
    table.add(collector.finish());
  }

  private static List<String> numbered(int count, String... last) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      names.add("v" + i);
    }
    names.addAll(List.of(last));
    return names;
  }

  private List<Long> candidates() {
    return table.candidates().stream().map(Trait::key).toList();
  }

  @Test
  void candidates_aboutPairsThatOneRunDoesNotFollow_areNone() {
    run(numbered(TraitCollector.MAX_ATOMS, "p", "q"));
    run(List.of("p", "q"));
    int first = Math.min(atom("p"), atom("q"));
    int second = Math.max(atom("p"), atom("q"));
    assertThat(candidates())
        .doesNotContain(TraitVocabulary.key(TraitKind.AT_ONCE, first, second))
        .contains(TraitVocabulary.key(TraitKind.HELD, atom("v0"), 0));
    assertThat(table.isUnfollowed(first)).isTrue();
  }

  @Test
  void candidates_aboutVariablesThatOneRunDoesNotFollow_areNone() {
    run(numbered(TraitCollector.MAX_VARIABLES, "p"));
    run(List.of("p"));
    assertThat(table.isCut()).isTrue();
    assertThat(candidates())
        .doesNotContain(TraitVocabulary.key(TraitKind.HELD, atom("p"), 0))
        .contains(TraitVocabulary.key(TraitKind.HELD, atom("v0"), 0));
  }
}
