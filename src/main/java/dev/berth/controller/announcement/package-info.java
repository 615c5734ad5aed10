/** The control loop of AgentReports: it makes of what the agents of all nodes say who announces each address. */
@NullMarked
package dev.berth.controller.announcement;

import org.jspecify.annotations.NullMarked;
