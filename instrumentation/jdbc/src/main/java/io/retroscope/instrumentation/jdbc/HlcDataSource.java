// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.jdbc;

import io.retroscope.recorder.Recorder;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A data source whose statements carry the stamp of their send event in a {@link HlcComment}. As
 * thread-safe as the data source that it wraps.
 *
 * <p>A prepared statement carries the stamp of its preparation. HAZARD: statements with different
 * stamps are different texts, so that no cache of prepared statements finds them again; wrap the
 * data source inside a pool only if it does not cache statements.
 *
 * <p>Each statement costs one stamp, one event and a copy of its text, and each call a reflective
 * one; none waits. Exceptions are those of the wrapped data source.
 */
public final class HlcDataSource {
  /** The methods whose first argument is a statement to run, to add to a batch or to prepare. */
  private static final Set<String> WITH_SQL =
      Set.of(
          "execute",
          "executeQuery",
          "executeUpdate",
          "executeLargeUpdate",
          "addBatch",
          "prepareStatement",
          "prepareCall");

  private HlcDataSource() {}

  /** A data source that delegates to another one and propagates the recorder's clock. */
  public static DataSource over(DataSource actual, Recorder recorder) {
    return wrap(DataSource.class, actual, recorder);
  }

  private static <T> T wrap(Class<T> type, T actual, Recorder recorder) {
    Object proxy =
        Proxy.newProxyInstance(
            HlcDataSource.class.getClassLoader(),
            new Class<?>[] {type},
            new Stamping(actual, recorder));
    return type.cast(proxy);
  }

  /** An object of JDBC, whose results are wrapped if they can run statements. */
  private record Stamping(Object actual, Recorder recorder) implements InvocationHandler {
    @Override
    public @Nullable Object invoke(
        Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
      if (arguments != null
          && arguments.length > 0
          && arguments[0] instanceof String sql
          && WITH_SQL.contains(method.getName())) {
        arguments[0] = HlcComment.append(sql, recorder.send(""));
      }
      if (method.getName().equals("equals") && arguments != null) {
        return proxy == arguments[0];
      }
      try {
        return wrapped(method.invoke(actual, arguments));
      } catch (InvocationTargetException e) {
        throw e.getCause() == null ? e : e.getCause();
      }
    }

    private @Nullable Object wrapped(@Nullable Object result) {
      if (result instanceof Connection connection) {
        return wrap(Connection.class, connection, recorder);
      }
      if (result instanceof CallableStatement statement) {
        return wrap(CallableStatement.class, statement, recorder);
      }
      if (result instanceof PreparedStatement statement) {
        return wrap(PreparedStatement.class, statement, recorder);
      }
      return result instanceof Statement statement
          ? wrap(Statement.class, statement, recorder)
          : result;
    }
  }
}
