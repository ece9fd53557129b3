// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import static java.time.temporal.ChronoUnit.MICROS;
import static java.time.temporal.ChronoUnit.MILLIS;
import static java.time.temporal.ChronoUnit.SECONDS;

import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Lines of sixteen systems whose logs are studied most, in more forms than the usual one: written
 * for tests, with the severities, components and odd beginnings that occur.
 */
final class SystemShapes {
  private static final String ISO = "yyyy-MM-dd HH:mm:ss";
  private static final String CLOCK = "MMM ppd HH:mm:ss";

  /** Systems with stack traces. */
  private static final String TRACE = "java.net.ConnectException: refused\n\tat a.B.c(B.java:1)\n";

  private SystemShapes() {}

  static List<LogShape> all() {
    List<LogShape> all = new ArrayList<>();
    hadoopFamily(all);
    supercomputers(all);
    machines(all);
    programs(all);
    return all;
  }

  private static String at(ZonedDateTime time, String pattern) {
    return DateTimeFormatter.ofPattern(pattern, Locale.US).format(time);
  }

  private static LogShape plain(
      String name, ChronoUnit resolution, String before, String pattern, String after) {
    return new LogShape(name, resolution, (t, m) -> before + at(t, pattern) + after + m, "");
  }

  private static LogShape traced(
      String name, ChronoUnit resolution, String before, String pattern, String after) {
    return new LogShape(name, resolution, (t, m) -> before + at(t, pattern) + after + m, TRACE);
  }

  private static void hadoopFamily(List<LogShape> to) {
    String compact = "yyMMdd HHmmss";
    to.add(
        traced("hdfs-namesystem", SECONDS, "", compact, " 27 WARN dfs.FSNamesystem: BLOCK* ask "));
    to.add(
        traced(
            "hdfs-receiver",
            SECONDS,
            "",
            compact,
            " 19704 ERROR dfs.DataNode$DataXceiver: 10.0.4.7:50010:Got exception while "));
    to.add(
        traced(
            "hadoop-fatal",
            MILLIS,
            "",
            ISO + ",SSS",
            " FATAL [IPC Server handler 7 on 51990] org.apache.hadoop.mapred.TaskListener: Task:"
                + " "));
    to.add(
        traced(
            "hadoop-thread",
            MILLIS,
            "",
            ISO + ",SSS",
            " WARN [LeaseRenewer:user@host-1:9000] org.apache.hadoop.hdfs.LeaseRenewer: Failed "));
    to.add(
        traced("spark-storage", SECONDS, "", "yy/MM/dd HH:mm:ss", " INFO storage.Memory: Block "));
    to.add(
        traced(
            "spark-error", SECONDS, "", "yy/MM/dd HH:mm:ss", " ERROR a.Backend: RECEIVED SIGNAL "));
    to.add(
        traced(
            "zookeeper-worker",
            MILLIS,
            "",
            ISO + ",SSS",
            " - WARN  [SendWorker:1889785:QuorumCnxManager$SendWorker@679] - Interrupted "));
    to.add(
        traced(
            "zookeeper-server",
            MILLIS,
            "",
            ISO + ",SSS",
            " - ERROR [NIOServerCxn.Factory:0.0.0.0/0.0.0.0:2181:NIOServerCnxn@10] - "));
    String request = " [req-3ea4-895d 113d3a 54fadb - - -] ";
    to.add(
        traced(
            "openstack-compute",
            MILLIS,
            "nova-compute.log.1.2026-05-16_13:55:31 ",
            ISO + ".SSS",
            " 2931 INFO nova.compute.manager" + request + "[instance: b900-56] VM Started "));
    to.add(
        traced(
            "openstack-warning",
            MILLIS,
            "nova-scheduler.log.2026-05-16_13:55:31 ",
            ISO + ".SSS",
            " 25998 WARNING nova.scheduler.host_manager" + request));
  }

  private static void supercomputers(List<LogShape> to) {
    to.add(bgl("bgl-alert", "KERNDTLB", "R30-M0-N9-C:J16-U01", "RAS KERNEL FATAL data TLB "));
    to.add(bgl("bgl-null", "-", "NULL", "RAS MMCS ERROR idoproxydb hit ASSERT: "));
    to.add(bgl("bgl-unknown", "-", "UNKNOWN_LOCATION", "NULL DISCOVERY SEVERE Error "));
    to.add(hpc("hpc-action", "2568 node-70 action start "));
    to.add(hpc("hpc-switch", "460903 Interconnect-0T00 switch_module error "));
    to.add(hpc("hpc-boot", "28 gige7 boot_cmd new "));
    to.add(thunderbird("thunderbird-kernel", "VAPI", "cn142", "cn142/cn142 kernel: [KERNEL_IB]["));
    to.add(thunderbird("thunderbird-number", "-", "#8#", "#8#/#8# sshd(pam_unix)[11]: "));
    to.add(
        thunderbird(
            "thunderbird-local",
            "-",
            "tbird-admin1",
            "local@tbird-admin1 /apps/x86_64/sbin/gmetad[1682]: data_thread() "));
  }

  private static LogShape bgl(String name, String label, String place, String after) {
    return new LogShape(
        name,
        MICROS,
        (t, m) ->
            "%s %d %s %s %s %s %s%s"
                .formatted(
                    label,
                    t.toEpochSecond(),
                    at(t, "yyyy.MM.dd"),
                    place,
                    at(t, "yyyy-MM-dd-HH.mm.ss.SSSSSS"),
                    place,
                    after,
                    m),
        "");
  }

  private static LogShape hpc(String name, String before) {
    return new LogShape(name, SECONDS, (t, m) -> before + t.toEpochSecond() + " 1 " + m, "");
  }

  private static LogShape thunderbird(String name, String label, String host, String after) {
    return new LogShape(
        name,
        SECONDS,
        (t, m) ->
            "%s %d %s %s %s %s%s"
                .formatted(
                    label,
                    t.toEpochSecond(),
                    at(t, "yyyy.MM.dd"),
                    host,
                    at(t, "MMM d HH:mm:ss"),
                    after,
                    m),
        "");
  }

  private static void machines(List<LogShape> to) {
    to.add(plain("linux-kernel", SECONDS, "", CLOCK, " combo kernel: ACPI: (supports S0 S1) "));
    to.add(plain("linux-daemon", SECONDS, "", CLOCK, " combo syslogd 1.4.1: restart "));
    to.add(plain("linux-cups", SECONDS, "", CLOCK, " combo cups: cupsd shutdown succeeded "));
    to.add(
        plain("mac-launchd", SECONDS, "", CLOCK, " mb-Pro com.apple.xpc.launchd[1] (a.b[60]): "));
    to.add(plain("mac-spaces", SECONDS, "", CLOCK, " mb-Pro Microsoft Word[14463]: "));
    to.add(plain("mac-repeated", SECONDS, "", CLOCK, " mb-Pro --- last message repeated 1 time "));
    to.add(
        plain("openssh-invalid", SECONDS, "", CLOCK, " LabSZ sshd[24206]: Invalid user a from "));
    to.add(
        plain(
            "openssh-repeated",
            SECONDS,
            "",
            CLOCK,
            " LabSZ sshd[5]: message repeated 5 times: [ Failed password for root from "));
    to.add(
        plain(
            "windows-csi",
            SECONDS,
            "",
            ISO,
            ", Info                  CSI    00000001@2026/9/27:20:30:31.455 WcpInitialize "));
    to.add(plain("windows-error", SECONDS, "", ISO, ", Error                 CBS    Failed "));
    to.add(plain("android-v", MILLIS, "", "MM-dd HH:mm:ss.SSS", "  1702  8671 V Window: Skip "));
    to.add(
        plain("android-tag", MILLIS, "", "MM-dd HH:mm:ss.SSS", " 14638 14653 E art(12)  : fail "));
  }

  private static void programs(List<LogShape> to) {
    to.add(
        new LogShape(
            "healthapp-stand",
            MILLIS,
            (t, m) ->
                "%s%d|Step_Stand|30002312|onReceive %s"
                    .formatted(at(t, "yyyyMMdd-H:m:s:"), t.getNano() / 1_000_000, m),
            ""));
    to.add(
        plain(
            "healthapp-long",
            MILLIS,
            "",
            "yyyyMMdd-HH:mm:ss:SSS",
            "|HiH_HiHealthBinder|30002312|result code = "));
    String apache = "EEE MMM dd HH:mm:ss yyyy";
    to.add(
        plain(
            "apache-client", SECONDS, "[", apache, "] [error] [client 192.0.2.88] File missing "));
    to.add(plain("apache-jk", SECONDS, "[", apache, "] [notice] jk2_init() Found child "));
    to.add(plain("apache-plain", SECONDS, "[", apache, "] mod_security: "));
    to.add(
        plain("proxifier-64", SECONDS, "[", "MM.dd HH:mm:ss", "] chrome.exe *64 - a:443 close "));
    to.add(
        plain("proxifier-short", SECONDS, "[", "MM.dd HH:mm:ss", "] Dropbox.exe - b:443 error "));
  }
}
