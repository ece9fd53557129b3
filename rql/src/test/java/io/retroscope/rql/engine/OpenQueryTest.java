// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.golden.EventNotation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Tests that a statement is checked and run over one view, which may be expensive to open. */
class OpenQueryTest {
  private static final EventSource EVENTS =
      EventNotation.read(List.of("1ms a t x=1", "2ms b t x=2")).source();

  private final QueryEngine engine = new QueryEngine(this::counted, QueryLimits.DEFAULT);
  private int opened;
  private int closed;
  private int rows;

  private View counted() {
    opened++;
    View view = EVENTS.open();
    return (View)
        Proxy.newProxyInstance(
            View.class.getClassLoader(),
            new Class<?>[] {View.class},
            (proxy, method, arguments) -> {
              closed += method.getName().equals("close") ? 1 : 0;
              try {
                return method.invoke(view, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void run(OpenQuery query) {
    RowSink counting =
        new RowSink() {
          @Override
          public void columns(List<Column> columns) {}

          @Override
          public boolean row(Row row) {
            rows++;
            return true;
          }

          @Override
          public void warning(String message) {}
        };
    engine.run(query, Authority.READ, "", counting);
  }

  @Test
  void run_ofAnOpenQuery_readsTheViewByWhichItWasChecked() {
    try (OpenQuery query = engine.open("SELECT x FROM t WHEN MAX(x) = 2;")) {
      run(query);
      assertThat(closed).isZero();
    }
    assertThat(rows).isEqualTo(1);
    assertThat(opened).isEqualTo(1);
    assertThat(closed).isEqualTo(1);
  }

  @Test
  void run_ofAStatementWithoutExpressions_opensItsOnlyView() {
    try (OpenQuery query = engine.open("SHOW NODES;")) {
      assertThat(opened).isZero();
      run(query);
    }
    assertThat(rows).isEqualTo(2);
    assertThat(opened).isEqualTo(1);
    assertThat(closed).isEqualTo(1);
  }

  /** Events that are stored while the view is opened are not all in it. */
  @Test
  void completeHlc_eventsAreStoredWhileTheViewIsOpened_isFromBefore() {
    try (OpenQuery.Moment moment =
        new OpenQuery.Moment(this::counted, () -> OptionalLong.of(10 + opened))) {
      moment.view().nodes();
      assertThat(moment.completeHlc()).hasValue(10);
    }
  }

  @Test
  void open_statementWithErrors_closesItsView() {
    assertThatThrownBy(() -> engine.open("SELECT y FROM t;")).isInstanceOf(RqlException.class);
    assertThatThrownBy(() -> engine.open("SELECT x FROM t WHEN;")).isInstanceOf(RqlException.class);
    assertThat(opened).isEqualTo(2);
    assertThat(closed).isEqualTo(2);
  }
}
