"use client";

import { Notifications } from "@mantine/notifications";

export default Notifications;
