// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.event.CorruptBlockException;
import org.junit.jupiter.api.Test;

class RowBodiesTest {
  @Test
  void body_changesThatDoNotFitTheKind_isRefused() {
    for (int kind = 0; kind < 6; kind++) {
      int code = kind;
      if (kind != 4) {
        RowBodies bodies = new RowBodies(1);
        assertThatThrownBy(() -> bodies.body(0, code)).isInstanceOf(CorruptBlockException.class);
      }
    }
  }
}
