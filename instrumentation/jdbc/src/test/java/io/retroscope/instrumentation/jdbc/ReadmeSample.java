// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.jdbc;

import io.retroscope.recorder.Recorder;
import java.util.OptionalLong;
import javax.sql.DataSource;

/** The code of the module's README, which a test looks up here. */
final class ReadmeSample {
  private ReadmeSample() {}

  static DataSource traced(DataSource dataSource, Recorder recorder) {
    DataSource traced = HlcDataSource.over(dataSource, recorder);
    return traced;
  }

  static OptionalLong stamp(String statement) {
    OptionalLong stamp = HlcComment.stampOf(statement);
    return stamp;
  }
}
