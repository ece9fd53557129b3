// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.rql.engine.statement.NodeRefusedException;
import io.retroscope.server.live.Inflow;
import io.retroscope.server.live.WatermarkTracker;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NodeAdministrationTest {
  private final WatermarkTracker tracker =
      new WatermarkTracker(System::nanoTime, () -> 0L, 1, List.of());
  private final List<String> closed = new ArrayList<>();
  private final NodeAdministration nodes =
      new NodeAdministration(
          node -> {
            closed.add(node);
            return List.of();
          },
          tracker);

  @Test
  void forget_whileAPartitionIsNotRead_isRefused() {
    assertThat(nodes.forget("a")).isEmpty();
    assertThat(closed).containsExactly("a");

    tracker.addInflow(new Unread());
    assertThatThrownBy(() -> nodes.forget("b"))
        .isInstanceOf(NodeRefusedException.class)
        .hasMessage("it is not known whether node \"b\" is active: partition 3 moves");
    assertThat(closed).containsExactly("a");
  }

  private record Unread() implements Inflow {
    @Override
    public long completeAsOfNanos() {
      return NEVER;
    }

    @Override
    public long bound() {
      return 0;
    }

    @Override
    public Optional<String> holding() {
      return Optional.of("partition 3 moves");
    }
  }
}
