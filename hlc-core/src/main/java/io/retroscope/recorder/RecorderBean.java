// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import java.lang.management.ManagementFactory;
import java.lang.reflect.RecordComponent;
import java.util.Map;
import java.util.TreeMap;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/**
 * A recorder in the platform's MBean server. This class must not be loaded if there is no such
 * server.
 */
final class RecorderBean implements RecorderMXBean {
  private final Recorder recorder;

  private RecorderBean(Recorder recorder) {
    this.recorder = recorder;
  }

  /**
   * Registers a recorder.
   *
   * @return an action that unregisters it
   */
  static Runnable register(Recorder recorder) {
    try {
      MBeanServer server = ManagementFactory.getPlatformMBeanServer();
      ObjectName name = register(server, recorder);
      return () -> unregister(server, name);
    } catch (JMException | RuntimeException e) {
      log("node " + recorder.node() + " is not visible over JMX", e);
      return () -> {};
    }
  }

  private static ObjectName register(MBeanServer server, Recorder recorder) throws JMException {
    StandardMBean bean = new StandardMBean(new RecorderBean(recorder), RecorderMXBean.class, true);
    String name = "io.retroscope:type=Recorder,node=" + quoted(recorder.node());
    try {
      return server.registerMBean(bean, new ObjectName(name)).getObjectName();
    } catch (InstanceAlreadyExistsException e) {
      ObjectName longer = new ObjectName(name + ",incarnation=" + recorder.incarnation());
      return server.registerMBean(bean, longer).getObjectName();
    }
  }

  private static String quoted(String node) {
    return node.matches("[\\w.@-]+") ? node : ObjectName.quote(node);
  }

  private static void unregister(MBeanServer server, ObjectName name) {
    try {
      server.unregisterMBean(name);
    } catch (JMException | RuntimeException e) {
      log("cannot take " + name + " away from JMX", e);
    }
  }

  private static void log(String text, Exception cause) {
    Lifecycle.logger().log(System.Logger.Level.DEBUG, text, cause);
  }

  @Override
  public String getNode() {
    return recorder.node();
  }

  @Override
  public String getIncarnation() {
    return recorder.incarnation();
  }

  @Override
  public String getHealth() {
    return recorder.health().toString();
  }

  @Override
  public Map<String, Long> getStatistics() {
    RecorderStatistics statistics = recorder.statistics();
    Map<String, Long> values = new TreeMap<>();
    try {
      for (RecordComponent component : RecorderStatistics.class.getRecordComponents()) {
        Object value = component.getAccessor().invoke(statistics);
        values.put(component.getName(), value instanceof Boolean truth ? bit(truth) : (Long) value);
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the statistics cannot be read", e);
    }
    return values;
  }

  private static long bit(boolean truth) {
    return truth ? 1 : 0;
  }
}
