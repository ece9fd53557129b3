// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TracedZnodesTest {
  @ParameterizedTest
  @CsvSource({
    // A path selects only that znode.
    "/r1,           /r1,                true",
    "/r1,           /r1/x,              false",
    "/r1,           /r10,               false",
    // A prefix selects all znodes below, but not the znode itself.
    "/app/,         /app/x,             true",
    "/app/,         /app/x/y,           true",
    "/app/,         /app,               false",
    "/app/,         /application,       false",
    // The root selects all znodes of users.
    "/,             /r1,                true",
    "/,             /,                  false",
    "/,             /zookeeper,         false",
    "/,             /zookeeper/quota,   false",
    "/,             /zookeepers,        true",
    // ZooKeeper's own subtree is traced if it is named.
    "/zookeeper/,   /zookeeper/config,  true",
    "/zookeeper/config, /zookeeper/config, true",
    // Several.
    "/r1;/app/,     /app/x,             true",
    "/r1;/app/,     /r2,                false",
  })
  void contains_path_asTraced(String traced, String path, boolean expected) {
    assertThat(TracedZnodes.parse(traced).contains(path)).isEqualTo(expected);
  }

  @Test
  void variable_path_losesItsFirstSlash() {
    assertThat(TracedZnodes.variable("/r1")).isEqualTo("r1");
    assertThat(TracedZnodes.variable("/app/x")).isEqualTo("app/x");
  }

  @ParameterizedTest
  @CsvSource({
    "/r1,       /r1,       true",
    "/r1,       /r2,       false",
    "/a/b/c,    /a,        true",
    "/a/b/c,    /a/b,      true",
    "/a/b/c,    /a/x,      false",
    "/a/b/,     /a,        true",
    "/a/b/,     /a/b,      true",
    "/a/b/,     /a/b/c/d,  true",
    "/,         /a,        true",
    "/,         /zookeeper, false",
  })
  void mayHoldBelow_path_leadsToTracedOnes(String traced, String path, boolean expected) {
    assertThat(TracedZnodes.parse(traced).mayHoldBelow(path)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"r1", "''", "/r1;", "/r1;app"})
  void parse_noPath_saysWhatIsWrong(String text) {
    assertThatThrownBy(() -> TracedZnodes.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must start with '/'");
  }
}
