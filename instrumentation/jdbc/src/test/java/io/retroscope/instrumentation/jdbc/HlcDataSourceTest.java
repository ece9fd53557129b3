// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.contract.CarrierContract;
import io.retroscope.event.EventBody;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** Tests with a real database, whose list of running statements takes the place of its log. */
class HlcDataSourceTest extends CarrierContract {
  private static final String OWN_TEXT =
      "SELECT EXECUTING_STATEMENT FROM INFORMATION_SCHEMA.SESSIONS";

  private final JdbcDataSource database = new JdbcDataSource();
  private final DataSource traced = HlcDataSource.over(database, sender);

  HlcDataSourceTest() {
    database.setURL("jdbc:h2:mem:");
  }

  /** The statement as the database has it. */
  private static String statementAtTheDatabase(DataSource source) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(OWN_TEXT)) {
      assertThat(rows.next()).isTrue();
      return rows.getString(1);
    }
  }

  private void read(String sql) {
    HlcComment.stampOf(sql).ifPresent(stamp -> receiver.receive("", stamp));
    arrived();
  }

  @Override
  protected void carry() throws SQLException {
    read(statementAtTheDatabase(traced));
  }

  @Override
  protected void carryUntraced() throws SQLException {
    read(statementAtTheDatabase(database));
  }

  @Override
  protected void carryUnreadable(String stamp) {
    read("SELECT 1 /*x-hlc='" + stamp + "'*/");
  }

  @Test
  void statements_ofEveryKind_carryAStamp() throws SQLException {
    try (Connection connection = traced.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE t (x INT)");
      statement.addBatch("INSERT INTO t VALUES (1)");
      assertThat(statement.executeBatch()).containsExactly(1);
      try (PreparedStatement insert = connection.prepareStatement("INSERT INTO t VALUES (?)")) {
        insert.setInt(1, 2);
        assertThat(insert.executeUpdate()).isEqualTo(1);
        assertThat(insert.toString()).contains("/*x-hlc='");
      }
      try (PreparedStatement call = connection.prepareCall("SELECT COUNT(*) FROM t")) {
        ResultSet count = call.executeQuery();
        assertThat(count.next() && count.getInt(1) == 2).isTrue();
      }
    }
    assertThat(sentEvents(EventBody.Send.class)).hasSize(4);
  }

  @Test
  void errors_ofTheDatabase_arePassedOnAsTheyAre() throws SQLException {
    try (Connection connection = traced.getConnection();
        Statement statement = connection.createStatement()) {
      assertThatThrownBy(() -> statement.execute("SELECT nothing FROM nowhere"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("NOWHERE");
      assertThat(Set.<Object>of(statement, connection)).hasSize(2).contains(statement);
    }
  }

  @Test
  void stampOf_isTheLastOfTheStatement() {
    List<OptionalLong> stamps = new ArrayList<>();
    for (String sql : List.of("SELECT 1", "/*x-hlc='", "/*x-hlc='5.0", "/*x-hlc='x'*/")) {
      stamps.add(HlcComment.stampOf(sql));
    }
    assertThat(stamps).containsOnly(OptionalLong.empty());
    String twice = HlcComment.append(HlcComment.append("SELECT '/*x-hlc='", 7), 9);
    assertThat(HlcComment.stampOf(twice)).hasValue(9);
  }
}
