// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ManifestTest {
  @Test
  void isLasting_entryThatIsBeingWritten_isNot() {
    AtomicInteger reads = new AtomicInteger();
    assertThat(Manifest.isLasting(() -> reads.incrementAndGet() < 4)).isFalse();
  }

  @Test
  void isLasting_entryThatIsNeverCompleted_is() {
    AtomicInteger reads = new AtomicInteger();
    assertThat(Manifest.isLasting(() -> reads.incrementAndGet() > 0)).isTrue();
    assertThat(reads).hasValue(10);
  }
}
