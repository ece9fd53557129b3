// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.completeness;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.plan.BoundPlan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The warnings about incomplete traces that several walks over one view send, each found once. Used
 * by one thread.
 */
public final class SharedCaveats {
  private final Map<Key, List<String>> found = new HashMap<>();

  /** What the warnings depend on. */
  private record Key(List<String> onlyNodes, boolean followsMessages, HlcRange range) {}

  /** Returns the sentences of {@link CaveatWarnings} for the first range of a walk. */
  List<String> of(BoundPlan plan, View view, HlcRange range) {
    boolean followsMessages = plan.state().followsMessages();
    return found.computeIfAbsent(
        new Key(plan.input().onlyNodes(), followsMessages, range),
        key -> {
          Sentences sentences = new Sentences(new ArrayList<>());
          new CaveatWarnings(sentences, plan.state()::counts, followsMessages).check(view, range);
          return sentences.all();
        });
  }

  /** A receiver of nothing but warnings. */
  private record Sentences(List<String> all) implements RowSink {
    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      return true;
    }

    @Override
    public void warning(String message) {
      all.add(message);
    }
  }
}
