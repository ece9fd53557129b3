// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import io.retroscope.rql.cut.Incompleteness;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The JSON of requests between servers, which all have one version. Thread-safe. */
final class ClusterJson {
  /** Reads and writes records by their components. */
  static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .changeDefaultVisibility(
              visible ->
                  visible
                      .withVisibility(PropertyAccessor.GETTER, JsonAutoDetect.Visibility.NONE)
                      .withVisibility(PropertyAccessor.IS_GETTER, JsonAutoDetect.Visibility.NONE)
                      .withVisibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY))
          .addMixIn(Incompleteness.class, Kinds.class)
          .build();

  private ClusterJson() {}

  /** The kinds of reasons, by the names of their classes. */
  @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
  private interface Kinds {}
}
